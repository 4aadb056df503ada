import type pg from "pg";
import type { LeasedShard, ShardHeader } from "./leased-shard.ts";
import type { CircuitState } from "./model.ts";
import type { MessageRow } from "./delivery.ts";
import { arrayLiteral, quotedLiteral } from "./packed-text.ts";

/** `place` is where the message's row of queue.ready was when it was read. A large document is null until its delivery starts, and `largeBytes` says how large. */
export type SlotRow = Omit<MessageRow, "document"> & {
  document: string | null;
  largeBytes: number;
  slot: number;
  place: string;
  createdMs: number;
};
/** As it comes: a step makes so many that parsers and a name for each column would be a good part of what a message costs. */
type RawRow = [
  header: string | null,
  slot: string,
  attempts: string,
  place: string,
  id: string,
  subtenantId: string,
  key: string,
  entityType: string,
  headers: string | null,
  document: string | null,
  version: string | null,
  originId: string | null,
  createdMs: string,
  largeBytes: string | null,
];

/** As queue.lease_shards answers: the shard and what its target allows. */
export type LeaseHeader = ShardHeader & { concurrency: number; ratePerSecond: number | null; circuit: CircuitState; isLost: boolean };

const leaseSql = { name: "queue.lease_shards", text: "select queue.lease_shards($1, $2, $3, $4, $5) as shards" };

type LeaseRequest = {
  workerId: string;
  shards: number;
  leaseSeconds: number;
  skip: { tenantId: number; targetId: number }[];
};

/**
 * What a read did to a shard. Whole: it was not cut off by its limit. Empty: nothing is ready or in hand. `readTo`: the highest id, null
 * when nothing was read. Noted: the shard's row was written, with the costs.
 */
type SlotProgress = {
  slot: number;
  isRead: boolean;
  isEmpty: boolean;
  isAsleep: boolean;
  isWhole: boolean;
  isNoted: boolean;
  readTo: number | null;
};

/**
 * Second header of queue.step: what a read did to shards, and which transactions it may have missed; see queue.note_read. `ownXid` is null for
 * a step that wrote nothing.
 */
export type Progress = { openFrom: string; ownXid: string | null; slots: SlotProgress[] };

/** Leases shards of the tenant whose turn it is; none when nothing is to be had. */
export async function leaseShards(pool: pg.Pool, { workerId, shards, leaseSeconds, skip }: LeaseRequest): Promise<LeaseHeader[]> {
  const skipped = [arrayLiteral(skip.map((gate) => gate.tenantId)), arrayLiteral(skip.map((gate) => gate.targetId))];
  const { rows } = await pool.query<{ shards: string | null }>({ ...leaseSql, values: [workerId, shards, leaseSeconds, ...skipped] });
  // Written by our own function a moment ago: the shape is known.
  return JSON.parse(rows[0]?.shards ?? "[]");
}

export type Failure = { id: number; kind: "retry" | "dead" | "released" | "superseded" } & Record<string, unknown>;

/** One leased shard's part in a step. */
export type Slot = {
  shard: LeasedShard;
  /** Read without anybody having said that there is something to read. */
  isPoll: boolean;
  cursor: number;
  room: number;
  isRelease: boolean;
  /** It is put to sleep when it is empty. */
  isResting: boolean;
  cost: number;
  delivered: string[];
  /** Where the delivered messages' rows were read. */
  places: string[];
  failures: Failure[];
  attempts: ({ id: number } & Record<string, unknown>)[];
};

/** Header of queue.step for a slot that is still ours. `reachedTo`: of another generation, what counts as in hand before it is read. */
type SlotState = { slot: number; generation: number; isBlocked: boolean; reachedTo: number | null };

/** Progress is null when none of the slots is ours any more. */
export type StepAnswer = { states: SlotState[]; progress: Progress | null; messages: SlotRow[] };

const stepSql = {
  name: "queue.step",
  text: `select header, slot, attempts, place, id, subtenant_id, key, entity_type, headers, document, version, origin_id, created_ms, large_bytes
    from queue.step(${Array.from({ length: 22 }, (_, index) => `$${index + 1}`).join(", ")})`,
  rowMode: "array",
  types: { getTypeParser: () => (text: string) => text },
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
  const inHand = slots.map(idsInHand);
  const numbers = (pick: (slot: Slot, index: number) => number | string | boolean): string => arrayLiteral(slots.map(pick));
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
    numbers((_, index) => inHand[index]?.count ?? 0),
    numbers((_, index) => inHand[index]?.above ?? 0),
    numbers(({ shard }) => shard.reachedTo),
    numbers(({ cost }) => cost),
    numbers(({ isRelease }) => isRelease),
    numbers(({ isResting }) => isResting),
    arrayLiteral(inHand.flatMap(({ known }) => known)),
    isLooking,
    arrayLiteral(slots.flatMap(({ delivered }, index) => delivered.map(() => index + 1))),
    arrayLiteral(slots.flatMap(({ delivered }) => delivered)),
    quotedLiteral(slots.flatMap(({ places }) => places)),
    jsonOfSlots(slots.map(({ failures }) => failures)),
    jsonOfSlots(slots.map(({ attempts }) => attempts)),
  ];
  const { rows } = await pool.query<RawRow>({ ...stepSql, values });
  // The first two rows are headers, the others messages.
  const [states, progress] = rows.splice(0, 2).map(([header]) => header);
  if (!states || !progress) return { states: [], progress: null, messages: [] };
  return { states: JSON.parse(states), progress: JSON.parse(progress), messages: rows.map(toSlotRow) };
}

function toSlotRow(row: RawRow): SlotRow {
  return {
    slot: Number(row[1]),
    attempts: Number(row[2]),
    place: row[3],
    id: row[4],
    subtenantId: Number(row[5]),
    key: row[6],
    entityType: row[7],
    headers: row[8],
    document: row[9],
    version: row[10],
    originId: row[11],
    createdMs: Number(row[12]),
    largeBytes: row[13] === null ? 0 : Number(row[13]),
  };
}

type InHand = { count: number; above: number; known: number[] };

/** A read skips what is in hand above its cursor; in a 'latest' lane it must know all of it, so as not to replace that by something newer. */
function idsInHand({ shard, cursor, delivered, failures }: Slot): InHand {
  const settled = new Set(delivered.map(Number));
  for (const { id } of failures) settled.add(id);
  const inHand: InHand = { count: 0, above: 0, known: [] };
  for (const id of shard.held.keys()) {
    if (settled.has(id)) continue;
    inHand.count++;
    if (id > cursor) inHand.above++;
    if (id > cursor || shard.mode === "latest") inHand.known.push(id);
  }
  return inHand;
}

function jsonOfSlots(perSlot: readonly (readonly object[])[]): string | null {
  const all = perSlot.flatMap((entries, index) => entries.map((entry) => ({ slot: index + 1, ...entry })));
  return all.length === 0 ? null : JSON.stringify(all);
}
