import type { Run } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { makeTenant } from "../intake/testing.ts";
import { callTenant, testApp, type TestApp } from "../testing/test-app.ts";
import { advanceRun, claimRun, finishRun } from "./runs.ts";

let made: TestApp;
let tenantId: number;
beforeAll(async () => {
  made = await testApp();
  ({ tenantId } = await makeTenant(made.deps, made.ownerUrl, "changing", []));
});
afterAll(() => made.close());

test.each([
  ["resumes", "resume", "running"],
  ["cancels", "cancel", "cancelled"],
] as const)("who %s a run that is about to pause is heard", async (_, verb, state) => {
  const { worker } = made.deps.pools;
  const asked = { kind: "export", subtenantCode: "shop", entityType: "item" };
  const { id } = await callTenant<Run>(made, "changing", "POST", "runs", asked, 201);
  const claim = () => claimRun(worker, tenantId);
  const run = await claim();
  if (run?.id !== id) throw new Error("the run is not the one that waits");
  await callTenant(made, "changing", "POST", `runs/${id}/pause`);
  expect(await inTenant(worker, tenantId, (client) => advanceRun(client, run, {}))).toMatchObject({ isPausing: true });
  await callTenant(made, "changing", "POST", `runs/${id}/${verb}`);
  await finishRun(worker, run, "paused", null);
  expect(await callTenant<Run>(made, "changing", "GET", `runs/${id}`)).toMatchObject({ state, isPausing: false });
  expect((await claim())?.id).toBe(state === "running" ? id : undefined);
});

test("a run that finds more than was counted at its beginning never tells of more done than there is", async () => {
  const { worker } = made.deps.pools;
  const asked = { kind: "export", subtenantCode: "shop", entityType: "price" };
  const { id } = await callTenant<Run>(made, "changing", "POST", "runs", asked, 201);
  const run = await claimRun(worker, tenantId);
  if (run?.id !== id) throw new Error("the run is not the one that waits");
  const totalAfter = async (done: number) => {
    await inTenant(worker, tenantId, (client) => advanceRun(client, run, { done }));
    return (await callTenant<Run>(made, "changing", "GET", `runs/${id}`)).total;
  };
  expect(await totalAfter(1)).toBeNull();
  await inTenant(worker, tenantId, (client) =>
    client.query("update hub.run set total = 3 where tenant_id = $1 and id = $2", [tenantId, id]),
  );
  expect(await totalAfter(2)).toBe(3);
  expect(await totalAfter(2)).toBe(5);
});
