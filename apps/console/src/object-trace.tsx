import { lazy, Suspense, type ComponentProps } from "react";
import type { ObjectTraceView } from "./messages/object-trace-view.tsx";

const View = lazy(() => import("./messages/object-trace-view.tsx").then((module) => ({ default: module.ObjectTraceView })));

/** The whole way of an object on another screen than the messages'; its code comes with the first one that is opened. */
export function ObjectTrace(props: ComponentProps<typeof ObjectTraceView>) {
  return (
    <Suspense fallback={null}>
      <View {...props} />
    </Suspense>
  );
}
