import { lazy, Suspense, useEffect, useState } from "react";

type Undo = { label: string; run: () => void };
export type NoticeContent = { kind: "success" | "error"; text: string; undo?: Undo | undefined };

const NoticeStack = lazy(() => import("./notice-stack.tsx"));
/** Resolves when the stack is on the screen: screen readers announce only what comes into a region that they know. */
const stack = Promise.withResolvers<(notice: NoticeContent) => void>();

/** Shows a success at the bottom start corner for six seconds, with a way back where there is one. */
export function noticeSuccess(text: string, undo?: Undo): void {
  void stack.promise.then((show) => show({ kind: "success", text, undo }));
}

export function noticeError(text: string): void {
  void stack.promise.then((show) => show({ kind: "error", text }));
}

/** The place of the notices. What draws them comes with the first thing that the operator does, as notices only follow upon that. */
export function Notices() {
  const [isAwaited, setIsAwaited] = useState(false);
  useEffect(() => {
    const listening = new AbortController();
    const stop = () => (listening.abort(), setIsAwaited(true));
    for (const event of ["pointerdown", "keydown", "click"]) {
      addEventListener(event, stop, { capture: true, signal: listening.signal });
    }
    return () => listening.abort();
  }, []);
  return <Suspense>{isAwaited && <NoticeStack onReady={stack.resolve} />}</Suspense>;
}
