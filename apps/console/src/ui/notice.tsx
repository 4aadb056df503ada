import { useIsMutating } from "@tanstack/react-query";
import { Suspense, useEffect, useState } from "react";
import { firstPart } from "../lazy-screen.ts";

/** What can be done next: mostly the way back, or to what was changed. */
export type NoticeAction = { label: string; run: () => void };
export type NoticeContent = { kind: "success" | "error"; text: string; action?: NoticeAction | undefined };

/** So long a notice is shown. */
export const showMs = 6000;

const NoticeStack = firstPart(() => import("./notice-stack.tsx"));
/** Resolves with the first notice. */
const first = Promise.withResolvers<void>();
/** Resolves when the stack is on the screen: screen readers announce only what comes into a region that they know. */
let stack = Promise.withResolvers<(notice: NoticeContent) => void>();

/** The stack is on the screen, until what this answers is called: it goes with the session, and the next one has a stack of its own. */
function ready(draw: (notice: NoticeContent) => void): () => void {
  stack.resolve(draw);
  return () => {
    stack = Promise.withResolvers();
  };
}

/** Shows a success at the bottom start corner for six seconds, with what can be done next where there is something. */
export function noticeSuccess(text: string, action?: NoticeAction): void {
  show({ kind: "success", text, action });
}

export function noticeError(text: string): void {
  show({ kind: "error", text });
}

function show(notice: NoticeContent): void {
  first.resolve();
  const shownAt = performance.now();
  void stack.promise.then((draw) => {
    // Without a connection, what draws it may come when nobody remembers any more what it is about.
    if (performance.now() - shownAt < showMs) draw(notice);
  });
}

/**
 * The place of the notices. What draws them comes when it is time for what no first screen needs, or earlier with the first change that is
 * sent, as most notices only follow upon its answer.
 */
export function Notices({ isTime }: { isTime: boolean }) {
  const isChanging = useIsMutating() > 0;
  const [isAwaited, setIsAwaited] = useState(false);
  if ((isChanging || isTime) && !isAwaited) setIsAwaited(true);
  useEffect(() => void first.promise.then(() => setIsAwaited(true)), []);
  return <Suspense>{isAwaited && <NoticeStack onReady={ready} />}</Suspense>;
}
