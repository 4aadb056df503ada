import type { JobKind } from "@crossdock/contract";
import { useMutation } from "@tanstack/react-query";
import { lazy, Suspense, useState, type ReactNode } from "react";
import { createJob, type JobRequest } from "./queries.ts";

const BulkDialog = lazy(() => import("./bulk-dialog.tsx"));

type Bulk = {
  /** Counts what the request is about, and asks whether it shall be done. */
  ask: (request: JobRequest) => void;
  dialog: ReactNode;
};

type DoneTexts = Partial<Record<JobKind, string>>;

/** Bulk operations of a list; `onStarted` lets it drop its selection. `doneTexts` are said when all of an operation has been done. */
export function useBulk(tenantCode: string, onStarted: () => void, doneTexts: DoneTexts = {}): Bulk {
  const [asked, setAsked] = useState<JobRequest | null>(null);
  const counting = useMutation({ mutationFn: (request: JobRequest) => createJob(tenantCode, request) });
  return {
    ask: (request) => {
      setAsked(request);
      counting.mutate(request);
    },
    dialog: asked && (
      <Suspense fallback={null}>
        <BulkDialog
          tenantCode={tenantCode}
          kind={asked.kind}
          counted={counting.data}
          error={counting.error}
          doneText={doneTexts[asked.kind]}
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
