import type { Problem } from "@crossdock/contract";
import { onlineManager, QueryClient, type QueryKey } from "@tanstack/react-query";
import { connection } from "./connection.ts";
import { ApiError } from "./problem.ts";
import { activeTenantCode } from "../settings.ts";

/** What the live updates keep as it is at the server; they also catch up with it when a hidden tab is shown. */
function isLive([of, tenantCode]: QueryKey): boolean {
  const active = activeTenantCode.get();
  return active !== null && (of === "tenants" || (of === "tenant" && tenantCode === active));
}

function isFinal({ status, code }: Problem): boolean {
  return code === "timed-out" || (status >= 400 && status < 500);
}

/** Live events say when something changed, so answers count as fresh for a while; what was refused or took too long is not repeated. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 30_000,
      refetchOnWindowFocus: ({ queryKey }) => !isLive(queryKey),
      retry: (failures, error) => failures < 2 && !(error instanceof ApiError && isFinal(error.problem)),
    },
    // One that waited for the server would be made even after it was cancelled.
    mutations: { networkMode: "always" },
  },
});

/**
 * While the server can't be reached or is under maintenance, what is to be read, also once more, waits and is read when it is back.
 * A change fails at once, and one whose answer was lost is not sent again, since it may have been made.
 */
onlineManager.setEventListener((setOnline) => connection.subscribe(() => setOnline(connection.standing() === "connected")));
