import { createHmac, randomBytes } from "node:crypto";
import type { Failure, RefusalReason } from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import type { Egress } from "../egress/egress.ts";
import { toEgressError, type EgressFault } from "../egress/egress-error.ts";
import { failureBecause } from "../errors/faults.ts";
import { seal, unseal, type SealedPlace } from "../keys/sealing.ts";

const secretBytes = 24;
const prefix = "whsec_";

/** As Standard Webhooks write it: the prefix and the key in base64. */
export const makeSecret = (): string => `${prefix}${randomBytes(secretBytes).toString("base64")}`;

const placeOf = (tenantId: number, channelId: number): SealedPlace => ({ tenantId, record: `alert channel ${channelId}`, field: "secret" });

export const sealSecret = (key: Buffer, tenantId: number, channelId: number, secret: string): Buffer =>
  seal(key, placeOf(tenantId, channelId), secret);

/** https://github.com/standard-webhooks/standard-webhooks/blob/main/spec/standard-webhooks.md: one signature per secret, with a blank between. */
function sign(secrets: readonly string[], id: string, timestamp: number, body: string): string {
  return secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(prefix.length), "base64");
      return `v1,${createHmac("sha256", key).update(`${id}.${timestamp}.${body}`).digest("base64")}`;
    })
    .join(" ");
}

/** Waits after the first, the second … failure: ten tries within a day. */
const retrySeconds = [5, 30, 120, 600, 1_800, 3_600, 10_800, 21_600, 43_200];
/** An attempt whose process never reported back is repeated after this time. */
const leaseSeconds = 90;

type Claimed = {
  id: number;
  createdAt: Date;
  channelId: number;
  body: string;
  attempts: number;
  url: string;
  secret: Buffer;
  before: Buffer | null;
};

const claimSql = `
  update hub.alert_delivery delivery set attempts = attempts + 1, next_at = clock_timestamp() + make_interval(secs => $3)
  from hub.alert_channel channel
  where delivery.tenant_id = $1 and channel.tenant_id = $1 and channel.id = delivery.channel_id and delivery.id = (
    select id from hub.alert_delivery
    where tenant_id = $1 and state = 'waiting' and (id = $2 or channel_id = $4 and next_at <= clock_timestamp())
    order by id limit 1 for update skip locked)
  returning delivery.id, delivery.created_at as "createdAt", channel.id as "channelId", delivery.body, delivery.attempts, channel.url, channel.secret,
    case when channel.before_until > clock_timestamp() then channel.secret_before end as before`;

// Only if the claim is still ours: whoever claimed it since then settles it.
const settleSql = `
  update hub.alert_delivery
  set state = $4, status = $5, failure = $6, next_at = case when $4 = 'waiting' then clock_timestamp() + make_interval(secs => $7) end,
    finished_at = case when $4 <> 'waiting' then clock_timestamp() end
  where tenant_id = $1 and id = $2 and attempts = $3 and state = 'waiting'`;

type Sending = { pool: pg.Pool; egress: Egress; key: Buffer };
/** A delivery, which is a test, or whatever is due to a channel. */
type Wanted = { deliveryId: number } | { channelId: number };

/** Tries one delivery: of those that are due to a channel the oldest. */
export async function sendOne({ pool, egress, key }: Sending, tenantId: number, wanted: Wanted): Promise<"none" | "sent" | "failed"> {
  const { deliveryId, channelId } = { deliveryId: null, channelId: null, ...wanted };
  const [claimed] = await inTenant(
    pool,
    tenantId,
    async (client) => (await client.query<Claimed>(claimSql, [tenantId, deliveryId, leaseSeconds, channelId])).rows,
  );
  if (!claimed) return "none";
  const outcome = await post(egress, key, tenantId, claimed);
  // A test reports how it went and is not repeated.
  const isLast = outcome.isFinal || deliveryId !== null || claimed.attempts > retrySeconds.length;
  const state = outcome.failure === null ? "sent" : isLast ? "failed" : "waiting";
  const wait = (retrySeconds[claimed.attempts - 1] ?? 0) * (0.8 + Math.random() * 0.4);
  await inTenant(pool, tenantId, (client) =>
    client.query(settleSql, [tenantId, claimed.id, claimed.attempts, state, outcome.status, outcome.failure, wait]),
  );
  return outcome.failure === null ? "sent" : "failed";
}

type Outcome = { status: number | null; failure: Failure | null; isFinal: boolean };

/** What is said of a receiver that gave no usable answer. */
const unansweredReasons = {
  "address-refused": "receiver-refused",
  "invalid-request": "receiver-unreachable",
  "name-not-found": "receiver-name-unknown",
  "connection-failed": "receiver-unreachable",
  "connection-lost": "receiver-unreachable",
  "tls-failed": "receiver-tls",
  timeout: "receiver-late",
  "answer-too-large": "receiver-unread",
  "answer-malformed": "receiver-unread",
  aborted: "receiver-unreachable",
} as const satisfies Record<EgressFault, RefusalReason>;

async function post(egress: Egress, key: Buffer, tenantId: number, claimed: Claimed): Promise<Outcome> {
  const place = placeOf(tenantId, claimed.channelId);
  // With its time, as a database that is restored gives the numbers since its backup again.
  const id = `msg_${tenantId}_${claimed.id}_${claimed.createdAt.getTime()}`;
  const timestamp = Math.floor(Date.now() / 1000);
  try {
    const secrets = [claimed.secret, claimed.before].filter((sealed) => sealed !== null).map((sealed) => unseal(key, place, sealed));
    const { status } = await egress.send({
      method: "POST",
      url: claimed.url,
      headers: {
        "content-type": "application/json",
        "webhook-id": id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": sign(secrets, id, timestamp, claimed.body),
      },
      body: claimed.body,
    });
    if (status >= 200 && status < 300) return { status, failure: null, isFinal: true };
    // 410 Gone: the receiver wants no more (Standard Webhooks).
    return { status, failure: failureBecause("receiver-answered", { status }), isFinal: status === 410 };
  } catch (error) {
    const { fault, message, isPermanent } = toEgressError(error);
    return { status: null, failure: failureBecause(unansweredReasons[fault], { fault: message.slice(0, 500) }), isFinal: isPermanent };
  }
}

const dueSql = 'select tenant_id as "tenantId", channel_id as "channelId" from hub.channels_to_tell()';

/** Channels of one tenant that are sent to at a time: however many it has, connections are left for others. */
const channelsMax = 8;

/** `begin` returns before anything has gone out; `settled` waits for what is under way. */
type Sender = { begin: (signal: AbortSignal) => Promise<void>; settled: () => Promise<unknown> };

/** Sends what is due, a few notices to each channel at a time, and by itself, so that a receiver that hangs until its time-out holds up no other channel. */
export function createSender({ pools }: Pick<Deps, "pools">, sending: Sending): Sender {
  /** What is under way to the channels of each tenant. */
  const underWay = new Map<number, Map<number, Promise<void>>>();
  const faults: unknown[] = [];

  async function sendTo(tenantId: number, channelId: number, signal: AbortSignal): Promise<void> {
    for (let count = 0; count < 20 && !signal.aborted; count += 1) if ((await sendOne(sending, tenantId, { channelId })) !== "sent") return;
  }

  return {
    begin: async (signal) => {
      // Whatever went wrong since the last round.
      if (faults.length > 0) throw new AggregateError(faults.splice(0), "notices could not be sent");
      const { rows } = await pools.worker.query<{ tenantId: number; channelId: number }>(dueSql);
      for (const { tenantId, channelId } of rows) {
        const own = underWay.get(tenantId) ?? new Map<number, Promise<void>>();
        if (own.has(channelId) || own.size >= channelsMax) continue;
        underWay.set(tenantId, own);
        const sent = sendTo(tenantId, channelId, signal).catch((fault: unknown) => void faults.push(fault));
        own.set(
          channelId,
          sent.finally(() => own.delete(channelId)),
        );
      }
    },
    settled: () => Promise.all([...underWay.values()].flatMap((own) => [...own.values()])),
  };
}
