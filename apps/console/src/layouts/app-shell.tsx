import { QueryClientProvider, useIsFetching } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { CustomizerTab } from "../customizer/customizer-tab.tsx";
import { withAllTexts } from "../i18n/i18n.tsx";
import { JobWatch } from "../jobs/job-watch.tsx";
import { keepFocus } from "../keep-focus.ts";
import { forgetAddresses } from "../last-address.ts";
import { useLiveUpdates } from "../live/live.ts";
import { queryClient } from "../api/query-client.ts";
import { activeTenantCode } from "../settings.ts";
import { Notices } from "../ui/notice.tsx";
import { usePlaceTitle } from "../ui/page-title.ts";
import { tellWhy } from "../ui/tell-why.ts";
import { useActiveTenant, useOnlyTenant } from "../session/workspace.ts";
import { Frame } from "./frame.tsx";
import { PrintLine } from "./print-line.tsx";
import { useScrollPlace } from "./scroll-place.ts";
import "../screens.css";
import "./layouts.css";

export function AppShell() {
  // What one user has read or looked for is not left for the next.
  useEffect(
    () => () => {
      queryClient.clear();
      forgetAddresses();
    },
    [],
  );
  useEffect(keepFocus, []);
  useEffect(tellWhy, []);
  useScrollPlace();
  return (
    <QueryClientProvider client={queryClient}>
      <JobWatch>
        <LiveFrame />
      </JobWatch>
      <Later />
    </QueryClientProvider>
  );
}

function LiveFrame() {
  useLiveUpdates(activeTenantCode.use());
  usePlaceTitle(useActiveTenant()?.name ?? null);
  useOnlyTenant();
  const [isCustomizing, setIsCustomizing] = useState(false);
  return (
    <>
      <Frame onCustomize={() => setIsCustomizing(true)} />
      <CustomizerTab isOpen={isCustomizing} onOpenChange={setIsCustomizing} />
      <PrintLine />
    </>
  );
}

/**
 * Notices, and the texts of the other screens and of refusals, come when the first screen has its code and its data, so that nobody waits for them
 * later, or lacks them when the server is away.
 */
function Later() {
  const isComing = useRouterState({ select: ({ status }) => status === "pending" });
  const isQuiet = useIsFetching() === 0 && !isComing;
  useEffect(() => {
    // Whatever needs them asks again.
    if (isQuiet) withAllTexts(() => import("../api/problem-texts.ts")).catch(() => undefined);
  }, [isQuiet]);
  return <Notices isTime={isQuiet} />;
}
