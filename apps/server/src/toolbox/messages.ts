import type { ToolboxRequest, ToolboxResult } from "@crossdock/contract";
import { claim, claimAgain, findPassed, nextReady, requeueDead, restore, retryNow, type Lease, type MessageDetail } from "@crossdock/queue";
import type pg from "pg";
import type { Principal } from "../access/access.ts";
import { mapDocument } from "../delivery/deliver.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { publishRouted } from "../intake/store.ts";
import { operate } from "../messages/actions.ts";
import { refuseOutdated } from "../messages/outdated.ts";
import { findMessage } from "../messages/rows.ts";

type Request<Operation> = Extract<ToolboxRequest, { operation: Operation }>;
type Result<Kind> = Extract<ToolboxResult, { kind: Kind }>;
type Fetched = Result<"message">;

export type Bench = { client: pg.ClientBase; tenantId: number; principal: Principal; directory: TenantDirectory };

type Way = Result<"resent">["way"];

type Queue = { pointId: number; delivery: "push" | "pull"; isPaused: boolean };

const queueSql = 'select target_id as "pointId", delivery, is_paused as "isPaused" from queue.queue where tenant_id = $1 and id = $2';

async function findQueue({ client, tenantId }: Bench, queueId: number): Promise<Queue> {
  const { rows } = await client.query<Queue>(queueSql, [tenantId, queueId]);
  if (!rows[0]) throw notFound();
  return rows[0];
}

/** The next message of a queue: looked at, or leased as an outside worker would. */
export async function fetchNext(bench: Bench, { queueId, isDryRun, leaseSeconds }: Request<"fetch-next">): Promise<Fetched> {
  const { client, tenantId } = bench;
  const queue = await findQueue(bench, queueId);
  if (isDryRun) {
    const messageId = await nextReady(client, { tenantId, queueId });
    const message = messageId === null ? null : shownMessage(bench, queue, await findMessage(client, tenantId, messageId));
    return { kind: "message", message, lease: null };
  }
  const { delivery, isPaused } = queue;
  if (delivery === "push") throw new ApiError("conflict", because("queue-own"));
  if (isPaused) throw new ApiError("conflict", because("queue-paused"));
  const [lease] = await claim(client, { tenantId, queueId, max: 1, leaseSeconds });
  return lease ? { kind: "message", ...leased(bench, queue, lease) } : { kind: "message", message: null, lease: null };
}

/**
 * Sends a message once more: one that waits for something at once, one that is finished as a copy. Of a pull queue it is leased, as
 * the gateway's resend does. Throws conflict where it waits already, where a copy has taken its place, where newer data of the object would
 * be overwritten, or where a worker could not be handed it for want of a mapping.
 */
export async function resend(bench: Bench, { messageId, isDryRun, leaseSeconds }: Request<"resend">): Promise<Result<"resent">> {
  const { client, tenantId } = bench;
  const message = await findMessage(client, tenantId, messageId);
  const { state, queueId } = message;
  const queue = await findQueue(bench, queueId);
  // Never are both delivered: its copy can be sent once more.
  if (state === "redirected") throw new ApiError("conflict", { ...because("message-state", { state }), current: { state } });
  const way: Way = queue.delivery === "pull" ? "leased" : wayOf(message);
  await refuseOutdated(client, { tenantId, queueId, messageId, isCopy: way === "copied" });
  // A dry run, too, tells of a mapping that is missing.
  handedOut(bench, queue, message);
  const resent: Result<"resent"> = { kind: "resent", way, state, messageId, message: null, lease: null };
  if (isDryRun) {
    const isPassed = (way === "requeued" || way === "restored") && (await findPassed(client, { tenantId, messages: [message] })).length > 0;
    if (isPassed) throw new ApiError("conflict", because("message-superseded"));
    return resent;
  }
  switch (way) {
    case "leased": {
      const lease = await claimAgain(client, { tenantId, queueId, messageId, leaseSeconds });
      if (!lease) throw new ApiError("conflict", because("lane-in-hand"));
      return { ...resent, ...leased(bench, queue, lease) };
    }
    case "requeued":
      await sendAgain(bench, messageId, "requeue", requeueDead);
      return resent;
    case "retried":
      await sendAgain(bench, messageId, "retry", retryNow);
      return resent;
    case "restored":
      await sendAgain(bench, messageId, "restore", restore);
      return resent;
    default:
      return { ...resent, messageId: await publishCopy(bench, message) };
  }
}

async function sendAgain(
  { client, tenantId, principal }: Bench,
  messageId: string,
  verb: "requeue" | "retry" | "restore",
  run: typeof requeueDead,
): Promise<void> {
  const messageIds = [messageId];
  const { skipped } = await operate(client, { tenantId, principal, verb, wanted: messageIds }, () => run(client, { tenantId, messageIds }));
  if (skipped[0]?.state === "superseded") throw new ApiError("conflict", because("message-superseded"));
}

function wayOf({ state }: MessageDetail): "requeued" | "retried" | "restored" | "copied" {
  if (state === "dead") return "requeued";
  if (state === "retrying") return "retried";
  if (state === "removed") return "restored";
  if (state === "delivered" || state === "superseded") return "copied";
  throw new ApiError("conflict", { ...because("message-waits"), current: { state } });
}

async function publishCopy({ client, tenantId }: Bench, message: MessageDetail): Promise<string> {
  const { queueId, subtenantId, key, entityType, source, document, headers, version, originId, entityVersion } = message;
  const copy = { tenantId, queueId, subtenantId, key, entityType, document, headers, version, originId, entityVersion };
  const [id] = await publishRouted(client, [{ ...copy, ...(source !== null && { source }) }], new Set());
  if (id === undefined) throw new Error("the copy got no id");
  return id;
}

function leased(bench: Bench, queue: Queue, lease: Lease): Pick<Fetched, "message" | "lease"> {
  return {
    message: shownMessage(bench, queue, { ...lease, attempts: lease.attempt - 1 }),
    lease: { token: lease.leaseToken, until: lease.leaseUntil.toISOString() },
  };
}

type Shown = Pick<MessageDetail, "messageId" | "key" | "entityType" | "queueId" | "document" | "headers" | "attempts" | "publishedAt">;

function shownMessage(bench: Bench, queue: Queue, message: Shown): NonNullable<Fetched["message"]> {
  const { messageId, key, entityType, queueId, attempts, publishedAt } = message;
  const document = bench.directory.masking.maskText(handedOut(bench, queue, message));
  return { id: messageId, key, entityType, queueId, document, attempt: attempts + 1, publishedAt: publishedAt.toISOString() };
}

/** The document as an outside worker is handed it, a conflict where a mapping is missing; of a queue that Crossdock delivers itself, as it waits there. */
function handedOut(
  { directory }: Bench,
  { pointId, delivery }: Queue,
  { messageId, ...message }: Pick<Shown, "messageId" | "document" | "headers">,
): string {
  const point = directory.points.get(pointId);
  if (delivery === "push" || !point) return message.document;
  const mapped = mapDocument(directory, point, message);
  if ("document" in mapped) return mapped.document;
  const { masking } = directory;
  const fault = masking.scrub(mapped.error.message, masking.valuesIn(message.document));
  throw new ApiError("conflict", because("message-unmapped", { messageId, fault }));
}
