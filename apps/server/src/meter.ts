import type { Outcome } from "@crossdock/queue";

/** Where the parts of a process tell what they did. */
export type Meter = {
  request: (method: string, route: string, status: number, seconds: number) => void;
  attempt: (outcome: Outcome["kind"], seconds: number) => void;
};
