import { useSyncExternalStore } from "react";

/** The build this page was loaded from; null on the development server. */
const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content ?? null;

let isOutdated = false;
const listeners = new Set<() => void>();

/** The build that the server has now, as an answer of it said. */
export function noteBuild(build: string | null): void {
  const next = ownBuild !== null && build !== null && build !== ownBuild;
  if (build === null || next === isOutdated) return;
  isOutdated = next;
  for (const listener of listeners) listener();
}

/** Whether the server has another build of the console than this page was loaded from. */
export function useIsOutdated(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isOutdated,
  );
}
