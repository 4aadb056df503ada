import { afterAll, beforeAll, expect, test } from "vitest";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { makeTenant } from "../intake/testing.ts";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { lease } from "./lease.ts";
import { createWakeUps } from "./wake-ups.ts";

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

test("a long poll ends when the server stops, instead of holding it up until its time is over", async () => {
  const { pools, logger } = made.deps;
  const { tenantId, points } = await makeTenant(made.deps, made.ownerUrl, "stopping", [
    { code: "store", direction: "target", deliveryMode: "pull", entityTypes: ["item"] },
  ]);
  const tenant = await directory.of(tenantId);
  const point = tenant.points.get(points["store"]?.id ?? 0);
  const queueId = point && tenant.queueOf(point.id, "item");
  if (!point || queueId === undefined) throw new Error("no queue");
  const wakeUps = createWakeUps(pools.app, logger);
  const begun = performance.now();
  const wish = { max: 1, leaseSeconds: 60, waitSeconds: 60 };
  const polling = lease(pools.app, wakeUps, directory, point, queueId, wish, new AbortController().signal);
  await wakeUps.close();
  expect(await polling).toEqual([]);
  expect(performance.now() - begun).toBeLessThan(50_000);
});
