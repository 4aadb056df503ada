import { useMutation } from "@tanstack/react-query";
import { Suspense, useState, type ReactNode } from "react";
import type { TextKey } from "../i18n/i18n.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { createJob, type ExternalJobRequest, type JobRequest } from "./queries.ts";

type Request = JobRequest | ExternalJobRequest;

const BulkDialog = lazyPart(() => import("./bulk-dialog.tsx"));

type Options = {
  /** Said, with the count, when all of it has been done. */
  doneText?: TextKey | undefined;
  /** What is asked, with the count, where the list has a word of its own for its rows. */
  title?: TextKey | undefined;
  /** The tenant's code is typed first, however few they are. */
  isAll?: boolean;
};

type Bulk = {
  /** Counts what the request is about, and asks whether it shall be done. */
  ask: (request: Request, options?: Options) => void;
  dialog: ReactNode;
};

/** Bulk operations of a list; `onStarted` lets it drop its selection. */
export function useBulk(tenantCode: string, onStarted: () => void): Bulk {
  const [asked, setAsked] = useState<({ request: Request } & Options) | null>(null);
  const counting = useMutation({ mutationFn: (request: Request) => createJob(tenantCode, request) });
  return {
    ask: (request, options) => {
      setAsked({ request, ...options });
      counting.mutate(request);
    },
    dialog: asked && (
      <Suspense fallback={null}>
        <BulkDialog
          tenantCode={tenantCode}
          subject={"subject" in asked.request ? asked.request.subject : "messages"}
          kind={asked.request.kind}
          counted={counting.data}
          error={counting.error}
          doneText={asked.doneText}
          title={asked.title}
          isAll={asked.isAll}
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
