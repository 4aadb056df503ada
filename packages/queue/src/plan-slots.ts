import type { LeasedShard } from "./leased-shard.ts";
import type { Slot } from "./step.ts";
import { addToSlot, type Result } from "./unsettled.ts";

/** So much is read of a shard that was read to its end: what comes to such a one is little. */
export const fewRows = 16;
/** Of a backlog so many shards are read by a step, which take turns: few longer reads cost less than many short ones, and what they bring is done sooner. */
const readersMax = 16;

type PlanRequest = {
  shards: readonly LeasedShard[];
  results: readonly Result[];
  now: number;
  /** Also of shards with nothing to do: their leases are renewed. */
  isOfAll: boolean;
  /** Empty shards go to sleep at once, else when they have been empty for `lingerMs`. */
  isResting: boolean;
  lingerMs: number;
  /** How many messages may be read. */
  free: number;
};

/** What a step does: the shards that have something to settle, to read or to give back, and how much is read of each. */
export function planSlots({ shards, results, now, isOfAll, isResting, lingerMs, free }: PlanRequest): Slot[] {
  const settled = new Set(results.map(({ held }) => held.shard));
  // Shards that are due soon are taken along with those that are due now.
  const isPolling = shards.some((shard) => shard.isReadable && shard.isPollDue(now));
  const isPolled = (shard: LeasedShard): boolean => isPolling && shard.isReadable && shard.isPollDue(now + shard.pollMs / 2);
  const behind = shards.filter((shard) => shard.isBehind && shard.hasMore && shard.isReadable).toSorted((a, b) => a.lookedAt - b.lookedAt);
  const waiting = new Set(behind.slice(readersMax));
  const isDue = (shard: LeasedShard): boolean => isShardDue(shard, now, isResting ? 0 : lingerMs) && !waiting.has(shard);
  const chosen = shards.filter((shard) => isOfAll || settled.has(shard) || isDue(shard) || isPolled(shard));
  const room = Math.ceil(free / Math.max(1, chosen.filter((shard) => shard.hasMore && !waiting.has(shard)).length));
  // Those that were read to their end are looked at beside the others.
  const roomBeside = Math.min(fewRows, Math.ceil(free / Math.max(1, chosen.length)));
  const slots = new Map<LeasedShard, Slot>();
  for (const shard of chosen.toSorted((a, b) => a.place.queueId - b.place.queueId || a.shard - b.shard)) {
    const isReading = !waiting.has(shard) && (shard.isReadable || (shard.hasRewound && !shard.isDraining));
    const isPoll = isPolled(shard);
    const roomOfShard = shard.hasMore ? room : roomBeside;
    if (isReading) shard.noteLook(now, isPoll);
    slots.set(shard, {
      shard,
      isPoll,
      cursor: isReading ? shard.nextCursor() : shard.resumeCursor(),
      room: isReading ? roomOfShard : 0,
      isRelease: shard.isDraining && shard.inFlight === 0,
      isResting: isResting || now - shard.emptySince >= lingerMs,
      cost: shard.cost,
      delivered: [],
      places: [],
      failures: [],
      attempts: [],
    });
  }
  for (const result of results) {
    const slot = slots.get(result.held.shard);
    if (slot) addToSlot(slot, result, now);
  }
  return [...slots.values()];
}

function isShardDue(shard: LeasedShard, now: number, emptyMs: number): boolean {
  if (shard.isDraining) return shard.inFlight === 0;
  return shard.hasRewound || !shard.isWhole || now - shard.emptySince >= emptyMs;
}
