import { useSyncExternalStore } from "react";

/** The build this page was loaded from; null on the development server. */
const ownBuild = document.querySelector<HTMLMetaElement>('meta[name="build"]')?.content ?? null;

/** What is known of another build: nothing, that a reload brings it, or that somebody wants it later. */
type NewVersion = "none" | "offered" | "put-off";

let newVersion: NewVersion = "none";
const listeners = new Set<() => void>();

function become(next: NewVersion): void {
  newVersion = next;
  for (const listener of listeners) listener();
}

/** The build that an answer named. One of another build is enough: while servers are replaced, old and new ones answer in turn. */
export function noteBuild(build: string | null): void {
  if (!isOutdated() && ownBuild !== null && build !== null && build !== ownBuild) become("offered");
}

/** Whether a server has another build of the console than this page was loaded from. */
export const isOutdated = (): boolean => newVersion !== "none";

export const putOff = (): void => become("put-off");
/** Something was asked for that went with the old build. */
export const offerAgain = (): void => become("offered");

export function useNewVersion(): NewVersion {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => newVersion,
  );
}
