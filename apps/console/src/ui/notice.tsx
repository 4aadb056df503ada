import { Suspense } from "react";
import { firstPart } from "../lazy-screen.ts";

type Undo = { label: string; run: () => void };
export type NoticeContent = { kind: "success" | "error"; text: string; undo?: Undo | undefined };

/** So long a notice is shown. */
export const showMs = 6000;

const NoticeStack = firstPart(() => import("./notice-stack.tsx"));
/** Resolves when the stack is on the screen: screen readers announce only what comes into a region that they know. */
const stack = Promise.withResolvers<(notice: NoticeContent) => void>();

/** Shows a success at the bottom start corner for six seconds, with a way back where there is one. */
export function noticeSuccess(text: string, undo?: Undo): void {
  show({ kind: "success", text, undo });
}

export function noticeError(text: string): void {
  show({ kind: "error", text });
}

function show(notice: NoticeContent): void {
  const shownAt = performance.now();
  void stack.promise.then((draw) => {
    // Without a connection, what draws it may come when nobody remembers any more what it is about.
    if (performance.now() - shownAt < showMs) draw(notice);
  });
}

/** The place of the notices. */
export function Notices() {
  return (
    <Suspense>
      <NoticeStack onReady={stack.resolve} />
    </Suspense>
  );
}
