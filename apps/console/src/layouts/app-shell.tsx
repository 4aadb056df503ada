import { QueryClientProvider } from "@tanstack/react-query";
import { useEffect, useState } from "react";
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
      <Notices />
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
