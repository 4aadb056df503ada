import { useSyncExternalStore } from "react";

/** The build this page was loaded from; null on the development server. */
const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content ?? null;

let isOutdated = false;
const listeners = new Set<() => void>();

/** The build that an answer named. One of another build is enough: while servers are replaced, old and new ones answer in turn. */
export function noteBuild(build: string | null): void {
  if (isOutdated || ownBuild === null || build === null || build === ownBuild) return;
  isOutdated = true;
  for (const listener of listeners) listener();
}

/** Whether a server has another build of the console than this page was loaded from. */
export function useIsOutdated(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOutdated,
  );
}
