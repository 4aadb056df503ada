import type { WorstQueue } from "@crossdock/contract";
import type { QueueDepth } from "@crossdock/queue";

const worstMax = 10;
const minuteMs = 60_000;
/** What has waited for less is on its way. */
const stuckFromMs = minuteMs;

type Weighed = { weight: number };
export type BadQueue = Omit<WorstQueue, "tenantCode" | "tenantName"> & Weighed;

type Waiting = Pick<QueueDepth, "ready" | "inHand" | "retrying" | "parked">;

export function waitingIn(depths: readonly Waiting[]): number {
  return depths.reduce((sum, { ready, inHand, retrying, parked }) => sum + ready + inHand + retrying + parked, 0);
}

export function theWorst<Queue extends Weighed>(queues: readonly Queue[]): Queue[] {
  return queues.toSorted((one, other) => other.weight - one.weight).slice(0, worstMax);
}

/** The queues of a tenant in which something died or is stuck. */
export function worstOf(depths: readonly QueueDepth[], now: Date): (QueueDepth & Weighed & { waiting: number })[] {
  const weighed = depths.map((depth) => ({ ...depth, waiting: waitingIn([depth]), weight: weightOf(depth, now) }));
  return theWorst(weighed.filter(({ weight }) => weight > 0));
}

/**
 * In orders of magnitude, so that a few dead letters in each of many queues don't hide the one in which thousands are stuck. Dead letters weigh twice:
 * what waits may go out by itself.
 */
function weightOf(depth: QueueDepth, now: Date): number {
  const { dead, oldestWaitingAt } = depth;
  const waitedMs = oldestWaitingAt === null ? 0 : now.getTime() - oldestWaitingAt.getTime();
  const stuck = waitedMs < stuckFromMs ? 0 : Math.log10(1 + waitingIn([depth])) + Math.log10(1 + waitedMs / minuteMs);
  return 2 * Math.log10(1 + dead) + stuck;
}
