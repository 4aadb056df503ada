import { toDelivery, type MessageRow } from "./delivery.ts";
import type { Attempt, Lease, Outcome, Queryable } from "./model.ts";

type LeaseRow = MessageRow & { publishedAt: Date; token: string; leaseUntil: Date; queueName: string; targetId: number };

const leaseColumns = `
  token, lease_until as "leaseUntil", queue_name as "queueName", target_id as "targetId", id, attempts, subtenant_id as "subtenantId",
  key, entity_type as "entityType", headers, document, version, origin_id as "originId", created_at as "publishedAt"`;

export type Claim = { tenantId: number; queueId: number; max: number; leaseSeconds: number };

/** Leases the next messages of a pull queue, at most one per lane. Returns none when nothing is free, or the queue is paused or a push queue. */
export async function claim(db: Queryable, request: Claim): Promise<Lease[]> {
  const { tenantId, queueId, max, leaseSeconds } = request;
  const { rows } = await db.query<LeaseRow>({
    name: "queue.claim",
    text: `select ${leaseColumns} from queue.claim($1, $2, $3, $4)`,
    values: [tenantId, queueId, max, leaseSeconds],
  });
  return rows.map((row) => toLease(tenantId, queueId, row));
}

// What came due since the transaction began counts, as a claim before may have missed it; what was due before waits for something else.
// Of a queue where many wait for hours only those of the next moments are read.
const untilDueSql = `
  select ceil(extract(epoch from min(at) - clock_timestamp()) * 1000)::double precision as ms from (
    select due_at as at from queue.retrying where tenant_id = $1 and queue_id = $2
    union all
    select lease_until from queue.lease where tenant_id = $1 and queue_id = $2
  ) due where at > now() and at < now() + $3 * interval '1 ms'`;

type Outlook = Pick<Claim, "tenantId" | "queueId"> & { withinMs: number };

/**
 * Milliseconds until the next retry of a queue is due or a lease of it runs out, 0 where it was just now; null where there is neither within so long.
 * For after a `claim` in its transaction.
 */
export async function untilDue(db: Queryable, { tenantId, queueId, withinMs }: Outlook): Promise<number | null> {
  const ms = (await db.query<{ ms: number | null }>(untilDueSql, [tenantId, queueId, withinMs])).rows[0]?.ms ?? null;
  return ms === null ? null : Math.max(ms, 0);
}

/** Puts a message of a pull queue at the head of its lane and leases it; null when another of the lane is leased, or a copy replaced it. */
export async function claimAgain(db: Queryable, request: Omit<Claim, "max"> & { messageId: string }): Promise<Lease | null> {
  const { tenantId, queueId, messageId, leaseSeconds } = request;
  const { rows } = await db.query<LeaseRow>(`select ${leaseColumns} from queue.claim_again($1, $2, $3, $4)`, [
    tenantId,
    queueId,
    messageId,
    leaseSeconds,
  ]);
  return rows[0] ? toLease(tenantId, queueId, rows[0]) : null;
}

function toLease(tenantId: number, queueId: number, row: LeaseRow): Lease {
  const place = { tenantId, queueId, queueName: row.queueName, targetId: row.targetId };
  return Object.assign(toDelivery(place, row, row.document, row.publishedAt), { leaseToken: row.token, leaseUntil: row.leaseUntil });
}

/** Settles a leased message. False: the token is stale and nothing was changed. */
export async function settle(db: Queryable, request: { tenantId: number; leaseToken: string; outcome: Outcome }): Promise<boolean> {
  const { tenantId, leaseToken, outcome } = request;
  if (!uuid.test(leaseToken)) return false;
  const { rows } = await db.query<{ isSettled: boolean }>({
    name: "queue.settle_lease",
    text: `select queue.settle_lease($1, $2, $3, $4, $5) as "isSettled"`,
    values: [
      tenantId,
      leaseToken,
      outcome.kind,
      JSON.stringify(failureOf(outcome)),
      outcome.kind === "released" ? null : attemptJson(outcome.attempt),
    ],
  });
  return rows[0]?.isSettled ?? false;
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function attemptJson(attempt: Attempt): string | null {
  return hasContent(attempt) ? JSON.stringify(attemptRecord(attempt, 0)) : null;
}

/** Whether an attempt says more than its message's history row. */
export function hasContent(attempt: Attempt): boolean {
  return Boolean(attempt.error || attempt.request || attempt.response);
}

/** An attempt as queue.record_attempts reads it; `ageMs` is the time since its end. */
export function attemptRecord(attempt: Attempt, ageMs: number): Record<string, unknown> {
  const { durationMs, request = null, response = null, versions, leftOut, error } = attempt;
  const exchange = request || response || versions ? JSON.stringify({ request, response, versions, leftOut }) : null;
  return { ageMs, durationMs: Math.round(durationMs), exchange, ...errorFields(error) };
}

/** The part of an outcome that queue.settle_failed reads. */
export function failureOf(outcome: Outcome): Record<string, unknown> {
  if (outcome.kind === "delivered") return {};
  if (outcome.kind === "released") return { delayMs: outcome.delayMs ?? null };
  const delayMs = outcome.kind === "retry" ? (outcome.retryAfterMs ?? null) : null;
  return { delayMs, ...errorFields(outcome.attempt.error) };
}

function errorFields(error: Attempt["error"]): Record<string, unknown> {
  return error ? { errorClass: error.class, errorMessage: error.message, fingerprint: error.fingerprint ?? error.class } : {};
}

/** Makes a lease last `leaseSeconds` from now. Returns its new end; null: the token is stale. */
export async function extend(db: Queryable, request: { tenantId: number; leaseToken: string; leaseSeconds: number }): Promise<Date | null> {
  if (!uuid.test(request.leaseToken)) return null;
  const { rows } = await db.query<{ leaseUntil: Date }>(
    `update queue.lease set lease_until = clock_timestamp() + interval '1 second' * $3 where tenant_id = $1 and token = $2
     returning lease_until as "leaseUntil"`,
    [request.tenantId, request.leaseToken, request.leaseSeconds],
  );
  return rows[0]?.leaseUntil ?? null;
}
