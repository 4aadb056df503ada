import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { createJob, type JobRequest } from "./queries.ts";

const BulkDialog = lazy(() => import("./bulk-dialog.tsx"));

type Bulk = {
  /** Counts what the request is about, and asks whether it shall be done. `doneText` is said when all of it has been. */
  ask: (request: JobRequest, doneText?: string) => void;
  dialog: ReactNode;
};

/** Bulk operations of a list; `onStarted` lets it drop its selection. */
export function useBulk(tenantCode: string, onStarted: () => void): Bulk {
  const [asked, setAsked] = useState<{ request: JobRequest; doneText: string | undefined } | null>(null);
  const counting = useMutation({ mutationFn: (request: JobRequest) => createJob(tenantCode, request) });
  return {
    ask: (request, doneText) => {
      setAsked({ request, doneText });
      counting.mutate(request);
    },
    dialog: asked && (
      <Suspense fallback={null}>
        <BulkDialog
          tenantCode={tenantCode}
          kind={asked.request.kind}
          counted={counting.data}
          error={counting.error}
          doneText={asked.doneText}
          onStarted={onStarted}
          onClose={() => {
            counting.reset();
            setAsked(null);
          }}
        />
      </Suspense>
    ),
  };
}
