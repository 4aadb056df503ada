import { afterAll, beforeAll, expect, test } from "vitest";
import { openCredentials } from "../credentials.ts";
import { inTenant } from "../db.ts";
import { testApp, type TestApp } from "../testing.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/integration-points";
const point = {
  subtenantCode: "shop",
  connector: "magento",
  name: "Web shop",
  entityTypes: ["item", "order"],
  settings: { auth: "basic" },
  credentials: { username: "hub", password: "opensesame" },
};

async function create(code: string) {
  const answer = await made.call("admin", "POST", path, { ...point, code });
  expect(answer.json()).toMatchObject({ code });
  return answer.json<{ id: number; version: number }>();
}

test("credentials go in and never come out; only their names are told", async () => {
  const { id } = await create("web");
  const listed = await made.call("viewer", "GET", path);
  expect(listed.body).not.toContain("opensesame");
  expect(listed.json().items[0]).toMatchObject({
    code: "web",
    credentialNames: ["username", "password"],
    isPaused: false,
    retry: { maxAttempts: 12 },
  });
  const stored = await inTenant(made.deps.pools.worker, 1001, (client) =>
    client.query<{ credentials: Buffer }>("select credentials from hub.integration_point where id = $1", [id]),
  );
  const sealed = stored.rows[0]?.credentials ?? null;
  expect(sealed?.includes("opensesame")).toBe(false);
  expect(openCredentials(made.deps.keys.credentials, { tenantId: 1001, integrationPointId: id }, sealed)).toEqual(point.credentials);
});

test("a change keeps what it does not name, credentials too", async () => {
  const { id } = await create("kept");
  const changed = await made.call("admin", "PATCH", `${path}/${id}`, { concurrency: 3, ratePerSecond: 2.5 });
  expect(changed.json()).toMatchObject({
    name: "Web shop",
    concurrency: 3,
    ratePerSecond: 2.5,
    credentialNames: ["username", "password"],
    version: 2,
  });
  expect((await made.call("admin", "PATCH", `${path}/${id}`, { ratePerSecond: null })).json()).toMatchObject({ ratePerSecond: null });
});

test("an operator pauses and resumes, an outdated version is refused", async () => {
  const { id } = await create("paused");
  expect((await made.call("user", "PUT", `${path}/${id}/pause`, { isPaused: true })).json()).toMatchObject({ isPaused: true, version: 2 });
  const outdated = await made.call("admin", "PATCH", `${path}/${id}`, { name: "Late" }, { "if-match": '"1"' });
  expect(outdated.json()).toMatchObject({ status: 412, code: "version-changed" });
});

test.each([
  ["an unknown connector", { connector: "fax" }, "validation-failed"],
  ["an unknown entity type", { entityTypes: ["invoice"] }, "validation-failed"],
  ["no entity type", { entityTypes: [] }, "validation-failed"],
  ["an unknown subtenant", { subtenantCode: "nowhere" }, "unknown-subtenant"],
  ["a concurrency of 0", { concurrency: 0 }, "validation-failed"],
])("%s is refused", async (_what, change, code) => {
  expect((await made.call("admin", "POST", path, { ...point, code: "bad", ...change })).json()).toMatchObject({ status: 400, code });
});
