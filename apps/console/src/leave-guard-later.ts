import { lazyPart } from "./lazy-screen.ts";

/** The same question on screens that are opened often: its code and texts come when something is typed. */
export const LeaveGuard = lazyPart(() => import("./ui/leave-guard.tsx").then((module) => ({ default: module.LeaveGuard })));
