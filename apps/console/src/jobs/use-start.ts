import type { Job } from "@crossdock/contract";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { changeJob, jobsQuery, startJob, type Confirmed } from "./queries.ts";

/** Starts the job that a dialog has counted, and ends that dialog. Nothing is changed before the start. */
export function useStart(tenantCode: string, counted: Job | undefined, onStarted: () => void, onClose: () => void) {
  const client = useQueryClient();
  const start = useMutation({
    mutationFn: (confirmed: Confirmed) => startJob(tenantCode, counted?.id ?? 0, confirmed),
    onSuccess: () => client.invalidateQueries({ queryKey: jobsQuery(tenantCode).queryKey }),
  });

  /** One that is not started is not wanted; one that could not be dropped now is dropped by the server later. */
  function drop(): void {
    if (counted && !start.data) void changeJob(tenantCode, counted.id, "cancel").catch(() => undefined);
  }

  function close(): void {
    drop();
    // Not before: a list that drops its selection drops what stands beside it, and this dialog with it.
    if (start.data) onStarted();
    onClose();
  }

  return { start, drop, close };
}
