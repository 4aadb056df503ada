import { Suspense, type ComponentProps } from "react";
import { lazyPart } from "./lazy-screen.ts";
import type DrawerOfJob from "./jobs/job-drawer.tsx";

const LazyDrawer = lazyPart(() => import("./jobs/job-drawer.tsx"));

type JobDrawerProps = Omit<ComponentProps<typeof DrawerOfJob>, "jobId" | "onOpen"> & {
  /** As it stands in the address. */
  openId: string | undefined;
  onOpen: (id: string | undefined) => void;
};

/** A bulk operation beside a list; its code comes with the first one that is opened. */
export function JobDrawer({ openId = "", onOpen, ...rest }: JobDrawerProps) {
  if (!/^\d{1,9}$/.test(openId)) return null;
  return (
    <Suspense fallback={null}>
      <LazyDrawer jobId={Number(openId)} onOpen={(id) => onOpen(id === undefined ? undefined : String(id))} {...rest} />
    </Suspense>
  );
}
