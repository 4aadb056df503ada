import { afterAll, beforeAll, expect, test } from "vitest";
import { publish } from "@crossdock/queue";
import { makeTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { startScheduler } from "./scheduler.ts";

let made: TestApp;
let scheduler: { stop: () => Promise<void> };
beforeAll(async () => {
  made = await testApp();
  scheduler = startScheduler(made.deps);
});
afterAll(async () => {
  await scheduler.stop();
  await made.close();
});

test("what waits is counted beyond what is counted at once, and what became a dead letter is folded into its tally", async () => {
  const { tenantId, subtenantId } = await makeTenant(made.deps, made.ownerUrl, "much", [
    { code: "shop", deliveryMode: "pull", targetTypes: ["order"] },
  ]);
  const worker = made.pool("worker", 1);
  const { rows } = await worker.query<{ id: number }>("select id from queue.queue where tenant_id = $1", [tenantId]);
  const message = { tenantId, queueId: rows[0]?.id ?? 0, subtenantId, entityType: "order", document: "{}" };
  await publish(
    worker,
    Array.from({ length: 700 }, (_, index) => ({ ...message, key: `${index}` })),
  );
  const depth = async (): Promise<unknown> => {
    const answer = await made.call("admin", "GET", "/api/v1/tenants/much/queues");
    return answer.json<{ items: { depth: { ready: number } }[] }>().items[0]?.depth.ready;
  };
  await expect.poll(depth, { timeout: 30_000 }).toBe(700);

  await worker.query(
    `with gone as (delete from queue.ready where tenant_id = $1 returning *)
     insert into queue.dead (id, lane, dead_at, tenant_id, queue_id, shard, attempts, collapses, error_class, error_message, fingerprint)
     select id, lane, now(), tenant_id, queue_id, shard, 1, false, 'http', 'refused', 'refused' from gone`,
    [tenantId],
  );
  const unfolded = async (): Promise<unknown> =>
    (await worker.query<{ count: number }>("select count(*)::integer as count from queue.dead_change where tenant_id = $1", [tenantId]))
      .rows[0]?.count;
  await expect.poll(unfolded, { timeout: 30_000 }).toBe(0);
});
