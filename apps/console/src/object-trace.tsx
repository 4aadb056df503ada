import { Suspense, type ComponentProps } from "react";
import { lazyPart } from "./lazy-screen.ts";
import type { ObjectTraceView } from "./messages/object-trace-view.tsx";

const View = lazyPart(() => import("./messages/object-trace-view.tsx").then((module) => ({ default: module.ObjectTraceView })));

/** The whole way of an object on another screen than the messages'; its code comes with the first one that is opened. */
export function ObjectTrace(props: ComponentProps<typeof ObjectTraceView>) {
  return (
    <Suspense fallback={null}>
      <View {...props} />
    </Suspense>
  );
}
