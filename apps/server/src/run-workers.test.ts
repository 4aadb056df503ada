import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { Run, Schedule } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant, type TestPoint } from "./intake/testing.ts";
import { startLoops } from "./loops.ts";
import { startRunWorkers } from "./run-workers.ts";
import { callTenant, testApp, type TestApp } from "./testing/test-app.ts";

let silent: Server;
let port: number;
let made: TestApp;

beforeAll(async () => {
  silent = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(silent, "listening");
  const address = silent.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  ({ port } = address);
  made = await testApp({ CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${port}` });
});
afterAll(async () => {
  silent.close();
  silent.closeAllConnections();
  await made.close();
});

/** A new tenant polls so many sources that never answer. */
async function pollSilent(code: string, count: number): Promise<void> {
  const source = { connector: "magento", sourceTypes: ["order"] } satisfies Partial<TestPoint>;
  const access = { settings: { baseUrl: `http://127.0.0.1:${port}` }, credentials: { accessToken: "t" } };
  const points = Array.from({ length: count }, (_, index) => ({ ...source, ...access, code: `store-${index}` }));
  const tenant = await makeTenant(made.deps, made.ownerUrl, code, points);
  for (const point of Object.values(tenant.points)) {
    const body = { integrationPointId: point.id, entityType: "order", everySeconds: 600 };
    const { id } = await callTenant<Schedule>(made, code, "POST", "schedules", body, 201);
    await callTenant<Run>(made, code, "POST", `schedules/${id}/run`);
  }
}

const countRunning = async (code: string): Promise<number> =>
  (await callTenant<{ items: Run[] }>(made, code, "GET", "runs?state=running")).items.length;

test("a tenant whose sources hang keeps nobody else's runs waiting", async () => {
  await pollSilent("hanging", 12);
  const workers = await startRunWorkers(made.deps);
  const loops = startLoops(workers.chores, made.deps.logger);
  try {
    await expect.poll(() => countRunning("hanging")).toBeGreaterThanOrEqual(4);
    await pollSilent("patient", 1);
    await expect.poll(() => countRunning("patient"), { timeout: 5_000 }).toBe(1);
  } finally {
    silent.closeAllConnections();
    await loops.stop();
    await workers.stop();
  }
});
