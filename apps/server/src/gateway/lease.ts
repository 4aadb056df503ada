import type pg from "pg";
import { EntityType } from "@crossdock/contract";
import { claim, claimAgain, extend, parseHeaders, settle, untilDue, type Lease, type Outcome } from "@crossdock/queue";
import { z } from "zod";
import { inTenant } from "../db.ts";
import { mapDocument, unsentAttempt } from "../delivery/deliver.ts";
import { deliveryHash, storeDeliveries } from "../delivery/external-items.ts";
import { fingerprintOf } from "../delivery/fingerprint.ts";
import { ApiError } from "../errors/errors.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import { refuseOutdated } from "../messages/outdated.ts";
import type { WakeUps } from "./wake-ups.ts";

export const LeasedMessage = z.object({
  id: z.string(),
  key: z.string(),
  entityType: z.string(),
  document: z.unknown().describe("The canonical document, in the words that the mappings have for the target"),
  headers: z.record(z.string(), z.string()),
  version: z.string().nullable().describe("The newest time of change that a source gave, in microseconds since 1970; null where none did"),
  attempt: z.number().int().describe("1 for the first try"),
  publishedAt: z.string(),
  leaseToken: z.string().describe("Settles the message"),
  leaseUntil: z.string(),
});
export type LeasedMessage = z.infer<typeof LeasedMessage>;

/** How often a long poll looks by itself, whatever it was not told of. */
const pollMs = 5_000;

type LeaseWish = { max: number; leaseSeconds: number; waitSeconds: number };

/** Leases up to `max` messages, waiting for the first one as long as asked. Returns none when the caller hangs up or the server stops. */
export async function lease(
  pool: pg.Pool,
  wakeUps: WakeUps,
  directory: Directory,
  point: Point,
  queueId: number,
  wish: LeaseWish,
  signal: AbortSignal,
): Promise<LeasedMessage[]> {
  const { tenantId } = point;
  const { max, leaseSeconds } = wish;
  const deadline = performance.now() + wish.waitSeconds * 1000;
  for (;;) {
    if (signal.aborted) return [];
    const left = deadline - performance.now();
    // Asleep before the look, so that a message published in between still wakes it.
    const sleep = new AbortController();
    const news = left > 0 ? wakeUps.wait(queueId, Math.min(left, pollMs), AbortSignal.any([signal, sleep.signal])) : null;
    const tenant = await directory.of(tenantId);
    const { messages, failed, dueMs } = await inTenant(pool, tenantId, async (client) => {
      const leases = await claim(client, { tenantId, queueId, max, leaseSeconds });
      const dueMs = leases.length === 0 && news ? await untilDue(client, { tenantId, queueId, withinMs: pollMs }) : null;
      return { ...(await mapAll(client, tenant, point, leases)), dueMs };
    });
    if (messages.length === 0 && failed.length > 0) {
      // Behind those that lack a mapping another one may wait.
      sleep.abort();
      continue;
    }
    if (messages.length > 0 || news === null || signal.aborted || wakeUps.isClosing) {
      sleep.abort();
      return messages;
    }
    const due = setTimeout(() => sleep.abort(), dueMs ?? pollMs);
    await news;
    clearTimeout(due);
  }
}

/** Puts one message back at the head of its lane and leases it. Throws conflict where a later state of the object was delivered. */
export async function leaseAgain(
  pool: pg.Pool,
  tenant: TenantDirectory,
  point: Point,
  queueId: number,
  messageId: string,
  wish: LeaseWish,
): Promise<LeasedMessage> {
  const { tenantId } = point;
  const { leaseSeconds } = wish;
  const { messages, failed } = await inTenant(pool, tenantId, async (client) => {
    const again = await claimAgain(client, { tenantId, queueId, messageId, leaseSeconds });
    if (again) await refuseOutdated(client, { tenantId, queueId, messageId, isCopy: false });
    return mapAll(client, tenant, point, again ? [again] : []);
  });
  const [message] = messages;
  if (message) return message;
  const [reason] = failed;
  if (reason !== undefined) throw new ApiError("conflict", { detail: `Message ${messageId} is a dead letter: ${reason}` });
  throw new ApiError("not-found", { detail: `This queue has no message ${messageId} that can be sent again now.` });
}

/** `failed`: why others became dead letters, as they do where Crossdock delivers. */
type Mapped = { messages: LeasedMessage[]; failed: string[] };

/** Leased messages in the target's words. One that lacks a mapping is nothing that a worker could settle. */
async function mapAll(client: pg.PoolClient, tenant: TenantDirectory, point: Point, leases: Lease[]): Promise<Mapped> {
  const { tenantId } = point;
  const mapped: Mapped = { messages: [], failed: [] };
  for (const lease of leases) {
    const result = mapDocument(tenant, point, lease);
    if ("document" in result) {
      mapped.messages.push(toLeasedMessage(lease, result.document));
      continue;
    }
    const attempt = unsentAttempt(tenant, point, lease.document, result.error, 0);
    await settle(client, { tenantId, leaseToken: lease.leaseToken, outcome: { kind: "dead", attempt } });
    mapped.failed.push(attempt.error?.message ?? "");
  }
  return mapped;
}

/** Ends leases of which their worker has not heard, as if they had never been. */
export async function giveBack(pool: pg.Pool, tenantId: number, messages: LeasedMessage[]): Promise<void> {
  await inTenant(pool, tenantId, async (client) => {
    for (const { leaseToken } of messages) await settle(client, { tenantId, leaseToken, outcome: { kind: "released" } });
  });
}

function toLeasedMessage(lease: Lease, document: string): LeasedMessage {
  const { messageId, key, entityType, headers, version, attempt, publishedAt, leaseToken, leaseUntil } = lease;
  return {
    id: messageId,
    key,
    entityType,
    document: JSON.parse(document),
    headers,
    version,
    attempt,
    publishedAt: publishedAt.toISOString(),
    leaseToken,
    leaseUntil: leaseUntil.toISOString(),
  };
}

const LeaseToken = z.uuid();
const DurationMs = z.number().int().min(0).max(86_400_000).default(0).describe("How long it took; noted as an hour at most");
/** The metrics look for attempts that began up to an hour before they ended. */
const notedMsMax = 3_600_000;
export const Ack = z.strictObject({
  leaseToken: LeaseToken,
  externalId: z.string().min(1).max(500).optional().describe("What the target calls the object; kept as external item"),
  durationMs: DurationMs,
});
export const Nack = z.strictObject({
  leaseToken: LeaseToken,
  isRetryable: z.boolean().default(true).describe("False: the message becomes a dead letter"),
  reason: z.string().min(1).max(2_000),
  errorClass: z.string().min(1).max(100).default("worker"),
  retryAfterSeconds: z.number().min(0).max(86_400).optional(),
  durationMs: DurationMs,
});
export const Extension = z.strictObject({ leaseToken: LeaseToken, leaseSeconds: z.number().int().min(5).max(3_600).default(60) });

/** A worker's word about a leased message: it is of this type, and of an integration point that `isMeant` knows. */
export type Hold = {
  pool: pg.Pool;
  tenantId: number;
  tenant: TenantDirectory;
  entityType: EntityType;
  isMeant: (point: Point) => boolean;
  messageId: string;
};

/** Throws `lease-stale` when the token is not the message's present lease. */
export async function acknowledge(hold: Hold, { leaseToken, externalId, durationMs }: z.output<typeof Ack>): Promise<void> {
  const { pool, tenantId, tenant, entityType, messageId } = hold;
  await inTenant(pool, tenantId, async (client) => {
    const { point, held } = await findHeld(client, hold, leaseToken);
    const { key, subtenantId } = held;
    await settleLease(client, tenantId, leaseToken, { kind: "delivered", attempt: { durationMs: Math.min(durationMs, notedMsMax) } });
    // What the former system calls it is nothing that the present one knows.
    if (held.isOfFormerSystem) return;
    await storeDeliveries(client, tenantId, [
      {
        integrationPointId: point.id,
        system: point.system,
        entityType,
        key,
        subtenantId,
        externalId: externalId ?? null,
        deliveredHash: deliveryHash(point, handedOut(tenant, point, held)),
        messageId,
      },
    ]);
  });
}

/** Throws `lease-stale` when the token is not the message's present lease. */
export async function refuse(hold: Hold, nack: z.output<typeof Nack>): Promise<void> {
  const { pool, tenantId, tenant } = hold;
  const { leaseToken, isRetryable, reason, errorClass, retryAfterSeconds, durationMs } = nack;
  await inTenant(pool, tenantId, async (client) => {
    const { point, held } = await findHeld(client, hold, leaseToken);
    const { masking } = tenant;
    const message = masking.scrub(reason, [held.document, handedOut(tenant, point, held)].flatMap(masking.valuesIn));
    const error = { class: errorClass, message, fingerprint: fingerprintOf(errorClass, null, message) };
    const attempt = { durationMs: Math.min(durationMs, notedMsMax), error };
    const outcome: Outcome = isRetryable
      ? { kind: "retry", attempt, ...(retryAfterSeconds === undefined ? {} : { retryAfterMs: Math.round(retryAfterSeconds * 1000) }) }
      : { kind: "dead", attempt };
    await settleLease(client, tenantId, leaseToken, outcome);
  });
}

/** The new end of the lease. Throws `lease-stale` when the token is not the message's present lease. */
export async function lengthen(hold: Hold, { leaseToken, leaseSeconds }: z.output<typeof Extension>): Promise<Date> {
  const { pool, tenantId } = hold;
  return inTenant(pool, tenantId, async (client) => {
    await findHeld(client, hold, leaseToken);
    const until = await extend(client, { tenantId, leaseToken, leaseSeconds });
    if (!until) throw new ApiError("lease-stale");
    return until;
  });
}

const HeldMessage = z.object({
  pointId: z.number(),
  entityType: EntityType,
  key: z.string(),
  subtenantId: z.number(),
  document: z.string(),
  headers: z.string().nullable().transform(parseHeaders),
  isOfFormerSystem: z.boolean(),
});
type HeldMessage = z.output<typeof HeldMessage>;

/** What the worker has, unless a mapping was changed since. */
function handedOut(tenant: TenantDirectory, point: Point, held: HeldMessage): string {
  const mapped = mapDocument(tenant, point, held);
  return "document" in mapped ? mapped.document : held.document;
}

const heldSql = `
  select queue.target_id as "pointId", message.entity_type as "entityType", message.key, message.subtenant_id as "subtenantId", message.document,
    message.headers, lease.leased_at < point.system_at as "isOfFormerSystem"
  from queue.lease
  join queue.queue on queue.tenant_id = lease.tenant_id and queue.id = lease.queue_id
  join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  join queue.message on message.tenant_id = lease.tenant_id and message.queue_id = lease.queue_id and message.id = lease.message_id
  where lease.tenant_id = $1 and lease.token = $2 and lease.message_id = $3`;

/**
 * The message of a lease, and whose it is. A token for another message than the path names, or for another integration point, is the worker's
 * mistake and must not be acted on.
 */
async function findHeld(
  client: pg.PoolClient,
  { tenantId, tenant, entityType, isMeant, messageId }: Hold,
  leaseToken: string,
): Promise<{ point: Point; held: HeldMessage }> {
  const { rows } = await client.query(heldSql, [tenantId, leaseToken, messageId]);
  if (!rows[0]) throw new ApiError("lease-stale");
  const held = HeldMessage.parse(rows[0]);
  const point = tenant.points.get(held.pointId);
  if (!point || !isMeant(point) || held.entityType !== entityType) throw new ApiError("lease-stale");
  return { point, held };
}

async function settleLease(client: pg.PoolClient, tenantId: number, leaseToken: string, outcome: Outcome): Promise<void> {
  if (!(await settle(client, { tenantId, leaseToken, outcome }))) throw new ApiError("lease-stale");
}
