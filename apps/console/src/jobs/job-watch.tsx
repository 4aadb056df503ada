import { createContext, Suspense, use, useState, type ReactNode } from "react";
import type { TextKey } from "../i18n/i18n.tsx";
import { lazyPart } from "../lazy-screen.ts";
import { activeTenantCode } from "../settings.ts";

/** `doneText`: said with the count when all of it has been done. */
export type Watched = { tenantCode: string; jobId: number; doneText?: TextKey | undefined };

type Watch = { takeOver: (job: Watched) => void; giveBack: (jobId: number) => void };

const ignore = (): void => undefined;
const WatchContext = createContext<Watch>({ takeOver: ignore, giveBack: ignore });
const WatchedJob = lazyPart(() => import("./watched-job.tsx"));

/** Takes over jobs whose dialogs are closed while they run. */
export function JobWatch({ children }: { children: ReactNode }) {
  const activeCode = activeTenantCode.use();
  const [watched, setWatched] = useState<readonly Watched[]>([]);
  const [watch] = useState<Watch>(() => {
    const without = (known: readonly Watched[], jobId: number) => known.filter((job) => job.jobId !== jobId);
    return {
      takeOver: (job) => setWatched((known) => [...without(known, job.jobId), job]),
      giveBack: (jobId) => setWatched((known) => without(known, jobId)),
    };
  });
  return (
    <WatchContext value={watch}>
      {children}
      {watched
        // In another tenant it would read as if it were about that one.
        .filter(({ tenantCode }) => tenantCode === activeCode)
        .map((job) => (
          <Suspense key={job.jobId}>
            <WatchedJob {...job} />
          </Suspense>
        ))}
    </WatchContext>
  );
}

export const useJobWatch = (): Watch => use(WatchContext);
