import { claim, publish, settle, type Lease, type Outcome } from "@crossdock/queue";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { makeTenant } from "../intake/testing.ts";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { lease } from "./lease.ts";
import { createWakeUps, type WakeUps } from "./wake-ups.ts";

let made: TestDeps;
let directory: Directory;

beforeAll(async () => {
  made = await testDeps();
  directory = createDirectory(made.deps.pools.app, made.deps);
});
afterAll(async () => {
  await directory.close();
  await made.close();
});

async function makeQueue(code: string) {
  const { tenantId, points, subtenantId } = await makeTenant(made.deps, made.ownerUrl, code, [
    { code: "store", deliveryMode: "pull", targetTypes: ["item"] },
  ]);
  const tenant = await directory.of(tenantId);
  const point = tenant.points.get(points["store"]?.id ?? 0);
  const queueId = point && tenant.queueOf(point.id, "item");
  if (!point || queueId === undefined) throw new Error("no queue");
  return { tenantId, subtenantId, point, queueId };
}

test.each<[string, (lease: Lease) => Outcome | null]>([
  ["retry is due", () => ({ kind: "retry", attempt: { durationMs: 1 }, retryAfterMs: 300 })],
  ["lease has run out", () => null],
])("a long poll that nobody wakes hands a message out when its %s", async (name, outcomeOf) => {
  const { tenantId, subtenantId, point, queueId } = await makeQueue(`due-${name.replaceAll(" ", "-")}`);
  const { pools } = made.deps;
  await inTenant(pools.app, tenantId, async (client) => {
    await publish(client, [{ tenantId, queueId, subtenantId, key: "1", entityType: "item", document: "{}" }]);
    const [first] = await claim(client, { tenantId, queueId, max: 1, leaseSeconds: 0.3 });
    const outcome = first && outcomeOf(first);
    if (outcome) await settle(client, { tenantId, leaseToken: first.leaseToken, outcome });
  });
  const asleep: WakeUps = {
    wait: (_queueId, _timeoutMs, signal) => new Promise((resolve) => signal.addEventListener("abort", () => resolve())),
    isClosing: false,
    close: async () => undefined,
  };
  const wish = { max: 1, leaseSeconds: 60, waitSeconds: 60 };
  const messages = await lease(pools.app, asleep, directory, point, queueId, wish, new AbortController().signal);
  expect(messages).toMatchObject([{ key: "1", attempt: 2 }]);
});

test("a long poll ends when the server stops, instead of holding it up until its time is over", async () => {
  const { pools, logger } = made.deps;
  const { point, queueId } = await makeQueue("stopping");
  const wakeUps = createWakeUps(pools.app, logger);
  const begun = performance.now();
  const wish = { max: 1, leaseSeconds: 60, waitSeconds: 60 };
  const polling = lease(pools.app, wakeUps, directory, point, queueId, wish, new AbortController().signal);
  await wakeUps.close();
  expect(await polling).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(50_000);
});
