import type pg from "pg";
import type { LeasedShard, ShardHeader } from "./leased-shard.ts";
import type { CircuitState } from "./model.ts";
import type { MessageRow } from "./delivery.ts";
import { arrayLiteral } from "./packed-text.ts";

const rowColumns = `header, slot, id, attempts, subtenant_id as "subtenantId", key, entity_type as "entityType", headers, document, version,
  origin_id as "originId", created_at as "publishedAt"`;

export type SlotRow = MessageRow & { slot: number };
type AnyRow = SlotRow & { header: string | null };

/** Header of queue.lease_shards: the shard and what its target allows. */
export type LeaseHeader = ShardHeader & { concurrency: number; ratePerSecond: number | null; circuit: CircuitState; isLost: boolean };

const leaseSql = { name: "queue.lease_shards", text: `select ${rowColumns} from queue.lease_shards($1, $2, $3, $4, $5, $6)` };

export type LeaseRequest = {
  workerId: string;
  shards: number;
  leaseSeconds: number;
  /** Messages to read at most. */
  room: number;
  skip: { tenantId: number; targetId: number }[];
};

/** What a read did to a shard. Whole: it was not cut off by its limit. `readTo`: the highest id, null when nothing was read. */
export type SlotProgress = { slot: number; isAsleep: boolean; isWhole: boolean; readTo: string | null };

/** Second header of both: what a read did to shards, and which transactions it may have missed; see queue.read_shards. */
export type Progress = { openFrom: string; nextXid: string; slots: SlotProgress[] };

export type LeaseAnswer = { tenantId: number; shards: LeaseHeader[]; progress: Progress; messages: SlotRow[] };

/** Leases shards of the tenant whose turn it is and reads them; null when nothing is to be had. */
export async function leaseShards(pool: pg.Pool, request: LeaseRequest): Promise<LeaseAnswer | null> {
  const { workerId, shards, leaseSeconds, room, skip } = request;
  const skipped = [arrayLiteral(skip.map((gate) => gate.tenantId)), arrayLiteral(skip.map((gate) => gate.targetId))];
  const { rows } = await pool.query<AnyRow>({ ...leaseSql, values: [workerId, shards, leaseSeconds, room, ...skipped] });
  const [lease, progress] = headersOf(rows);
  if (lease === undefined || progress === undefined) return null;
  // Written by our own function a moment ago: the shape is known.
  const headers: LeaseHeader[] = JSON.parse(lease);
  return { tenantId: headers[0]?.tenantId ?? 0, shards: headers, progress: JSON.parse(progress), messages: rows.slice(2) };
}

export type Failure = { id: number; kind: "retry" | "dead" | "released" | "superseded" } & Record<string, unknown>;

/** One leased shard's part in a step. */
export type Slot = {
  shard: LeasedShard;
  cursor: number;
  room: number;
  isRelease: boolean;
  delivered: number[];
  failures: Failure[];
  attempts: ({ id: number } & Record<string, unknown>)[];
};

/** Header of queue.step for a slot that is still ours. */
export type SlotState = { slot: number; generation: number; isBlocked: boolean };

/** Progress is null when none of the slots is ours any more. */
export type StepAnswer = { states: SlotState[]; progress: Progress | null; messages: SlotRow[] };

const stepSql = {
  name: "queue.step",
  text: `select ${rowColumns} from queue.step($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)`,
};

type StepRequest = {
  tenantId: number;
  leaseSeconds: number;
  /** Lengthen the leases, also of shards of which nothing is settled. */
  isRenewing: boolean;
  slots: readonly Slot[];
  /** Find out which of the open transactions publish. */
  isLooking: boolean;
};

/** Settles, renews and reads on, in one statement. Slots that the answer does not name were lost to another worker. */
export async function step(pool: pg.Pool, { tenantId, leaseSeconds, isRenewing, slots, isLooking }: StepRequest): Promise<StepAnswer> {
  const settled = new Set(slots.flatMap(({ delivered, failures }) => [...delivered, ...failures.map(({ id }) => id)]));
  const known = slots.flatMap(({ shard }) => [...shard.held.keys()].filter((id) => !settled.has(id)));
  const numbers = (pick: (slot: Slot) => number | string | boolean): string => arrayLiteral(slots.map(pick));
  const values = [
    tenantId,
    leaseSeconds,
    isRenewing,
    numbers(({ shard }) => shard.place.queueId),
    numbers(({ shard }) => shard.shard),
    numbers(({ shard }) => shard.epoch),
    numbers(({ shard }) => shard.generation),
    numbers(({ cursor }) => cursor),
    numbers(({ room }) => room),
    numbers(({ shard, delivered, failures }) => Math.max(0, shard.held.size - delivered.length - failures.length)),
    numbers(({ shard, delivered, failures }) => (delivered.length + failures.length) * shard.weight),
    numbers(({ isRelease }) => isRelease),
    arrayLiteral(known),
    isLooking,
    arrayLiteral(slots.flatMap(({ delivered }, index) => delivered.map(() => index + 1))),
    arrayLiteral(slots.flatMap(({ delivered }) => delivered)),
    jsonOfSlots(slots.map(({ failures }) => failures)),
    jsonOfSlots(slots.map(({ attempts }) => attempts)),
  ];
  const { rows } = await pool.query<AnyRow>({ ...stepSql, values });
  const [states, header] = headersOf(rows);
  if (states === undefined || header === undefined) return { states: [], progress: null, messages: [] };
  const live: SlotState[] = JSON.parse(states);
  const progress: Progress = JSON.parse(header);
  // The read counts only the slots that are still ours.
  progress.slots = progress.slots.flatMap((entry) => live.slice(entry.slot - 1, entry.slot).map(({ slot }) => ({ ...entry, slot })));
  return { states: live, progress, messages: rows.slice(2) };
}

function headersOf(rows: readonly AnyRow[]): (string | undefined)[] {
  return rows.slice(0, 2).map((row) => row.header ?? undefined);
}

function jsonOfSlots(perSlot: readonly (readonly object[])[]): string | null {
  const all = perSlot.flatMap((entries, index) => entries.map((entry) => ({ slot: index + 1, ...entry })));
  return all.length === 0 ? null : JSON.stringify(all);
}
