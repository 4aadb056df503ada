import { useQueryClient } from "@tanstack/react-query";

/** Asks anew for all that is shown of the tenant; resolves when it is there. */
export function useRefresh(tenantCode: string): () => Promise<void> {
  const client = useQueryClient();
  return () => client.invalidateQueries({ queryKey: ["tenant", tenantCode] });
}
