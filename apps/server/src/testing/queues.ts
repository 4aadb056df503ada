import { claim, claimAgain, publish, settle, type Lease, type Outcome } from "@crossdock/queue";
import type pg from "pg";
import { inTenant } from "../db.ts";
import type { TestApp } from "./test-app.ts";

/** A ready, a dead and a retrying message, and one behind the dead one, of a pull integration point with the queues centra.item and centra.order. */
export type FilledQueues = {
  integrationPointId: number;
  itemQueueId: number;
  orderQueueId: number;
  readyId: string;
  deadId: string;
  behindId: string;
  retryingId: string;
};

const tenantIds = { acme: 1001, other: 1002 };

export async function fillQueues(made: TestApp, tenantCode: keyof typeof tenantIds): Promise<FilledQueues> {
  const tenantId = tenantIds[tenantCode];
  const integrationPointId = await createPoint(made, tenantCode);
  const work = async <Result>(run: Parameters<typeof inTenant<Result>>[2]): Promise<Result> => inTenant(made.deps.pools.app, tenantId, run);
  const { rows } = await work((client) =>
    client.query<{ id: number; name: string }>("select id, name from queue.queue where target_id = $1", [integrationPointId]),
  );
  const queueId = (name: string): number => rows.find((row) => row.name === name)?.id ?? 0;
  const [itemQueueId, orderQueueId] = [queueId("centra.item"), queueId("centra.order")];
  const message = (queue: number, entityType: string, key: string, document: string) => ({
    tenantId,
    queueId: queue,
    subtenantId: tenantId + 100,
    entityType,
    key,
    document,
  });
  const [readyId = "", deadId = "", behindId = "", retryingId = ""] = await work((client) =>
    publish(client, [
      message(itemQueueId, "item", "a-1", '{"sku":"a-1"}'),
      message(orderQueueId, "order", "o-1", '{"orderNumber":"o-1"}'),
      message(orderQueueId, "order", "o-1", '{"orderNumber":"o-1","change":2}'),
      message(orderQueueId, "order", "o-2", '{"orderNumber":"o-2"}'),
    ]),
  );
  await work(async (client) => {
    const leases = await claim(client, { tenantId, queueId: orderQueueId, max: 10, leaseSeconds: 60 });
    for (const lease of leases) await settle(client, { tenantId, leaseToken: lease.leaseToken, outcome: outcomeOf(lease) });
  });
  return { integrationPointId, itemQueueId, orderQueueId, readyId, deadId, behindId, retryingId };
}

/** Leaves no integration point, no message and nothing that is known of one, so that a test may fill the queues anew. */
export async function emptyQueues(owner: pg.Pool): Promise<void> {
  const waiting = ["ready", "retrying", "parked", "dead", "removed", "held", "place", "lease"];
  const tables = ["target", "message", "history", "attempt", "search_text", ...waiting].map((table) => `queue.${table}`);
  await owner.query(`truncate hub.integration_point, hub.dead_letter_triage, ${tables.join()} cascade`);
}

type Failure = { queueId: number; key: string; errorClass: string; kind: "dead" | "retry" };

/** Publishes an order and lets its first delivery fail; its id. */
export async function failMessage(
  made: TestApp,
  tenantCode: keyof typeof tenantIds,
  { queueId, key, errorClass, kind }: Failure,
): Promise<string> {
  const tenantId = tenantIds[tenantCode];
  const { app } = made.deps.pools;
  const order = { tenantId, queueId, subtenantId: tenantId + 100, entityType: "order", key, document: "{}" };
  const [messageId = ""] = await inTenant(app, tenantId, (client) => publish(client, [order]));
  // A transaction of its own: claiming locks all shards of the queue, of which the publish holds one.
  await inTenant(app, tenantId, async (client) => {
    const lease = await claimAgain(client, { tenantId, queueId, messageId, leaseSeconds: 60 });
    const attempt = { durationMs: 5, error: { class: errorClass, message: "no such SKU" } };
    await settle(client, { tenantId, leaseToken: lease?.leaseToken ?? "", outcome: { kind, attempt, retryAfterMs: 3_600_000 } });
  });
  return messageId;
}

function outcomeOf(lease: Lease): Outcome {
  const request = { method: "POST", url: "https://shop.example/orders", headers: {}, body: lease.document };
  const response = { status: 422, headers: {}, body: "no such SKU" };
  if (lease.key === "o-1")
    return { kind: "dead", attempt: { durationMs: 5, request, response, error: { class: "rejected", message: "no such SKU" } } };
  const error = { class: "http-503", message: "target answered 503" };
  return { kind: "retry", retryAfterMs: 3_600_000, attempt: { durationMs: 5, request, response: { ...response, status: 503 }, error } };
}

export async function createPoint(made: TestApp, tenantCode: string): Promise<number> {
  const payload = {
    subtenantCode: "shop",
    connector: "centra",
    code: "queues",
    name: "Queues",
    deliveryMode: "pull",
    sourceTypes: ["item", "order"],
    targetTypes: ["item", "order"],
    settings: { url: "https://shop.example" },
  };
  const created = await made.call("admin", "POST", `/api/v1/tenants/${tenantCode}/integration-points`, payload);
  return created.json<{ id: number }>().id;
}
