import { QueryClientProvider, useIsFetching } from "@tanstack/react-query";
import { useRouterState } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { loadRefusalTexts } from "../api.ts";
import { CustomizerTab } from "../customizer/customizer-tab.tsx";
import { useLiveUpdates } from "../live.ts";
import { queryClient } from "../query-client.ts";
import { activeTenantCode } from "../settings.ts";
import { Notices } from "../ui/notice.tsx";
import { usePlaceTitle } from "../ui/page-title.ts";
import { useActiveTenant, useOnlyTenant } from "../workspace.ts";
import { Frame } from "./frame.tsx";
import "../screens.css";
import "./layouts.css";

export function AppShell() {
  // What one user has read is not left for the next.
  useEffect(() => () => queryClient.clear(), []);
  return (
    <QueryClientProvider client={queryClient}>
      <LiveFrame />
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
    </>
  );
}

/**
 * Notices and the texts of the other screens come when the first one has its code and its data, so that nobody waits for them later, or lacks
 * them when the server is away.
 */
function Later() {
  const isComing = useRouterState({ select: ({ status }) => status === "pending" });
  const isQuiet = useIsFetching() === 0 && !isComing;
  const [isTime, setIsTime] = useState(false);
  if (isQuiet && !isTime) setIsTime(true);
  useEffect(() => {
    // Whatever needs them asks again.
    if (isQuiet) loadRefusalTexts().catch(() => undefined);
  }, [isQuiet]);
  return isTime && <Notices />;
}
