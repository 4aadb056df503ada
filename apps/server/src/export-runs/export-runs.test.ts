import type { Run, RunLine } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createDirectory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { advanceRun, claimRun, finishRun } from "../runs/runs.ts";
import { type TestApp, testApp } from "../testing/test-app.ts";
import { putPart } from "./rows.ts";
import { runExport } from "./run-export.ts";

let made: TestApp;
let owner: pg.Pool;
let tenant: TestTenant;
const count = 1_200;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  tenant = await makeTenant(made.deps, made.ownerUrl, "exported", [{ connector: "wgr", code: "pim", sourceTypes: ["customer"] }]);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenant.tenantId]);
  const { pools, logger } = made.deps;
  const directory = createDirectory(pools.app, made.deps);
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points["pim"]?.id ?? 0);
  if (!point) throw new Error("no source");
  const intake = createIntake({ pool: pools.app, directory, logger });
  for (let at = 0; at < count; at += 400) {
    const documents = Array.from({ length: 400 }, (_, index) => ({
      customerNumber: String(10_000 + at + index),
      email: `person${at + index}@example.com`,
      company: at + index === 7 ? '=1+1 "Ltd", Oslo' : "Fjell AS",
    }));
    await inTenant(pools.app, tenant.tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "customer", documents }));
  }
  await directory.close();
});
afterAll(async () => {
  await made.close();
});

const path = (rest: string) => `/api/v1/tenants/exported/${rest}`;
const start = async (): Promise<number> => {
  const body = { kind: "export", subtenantCode: "shop", entityType: "customer" };
  return (await made.call("admin", "POST", path("runs"), body)).json<Run>().id;
};

async function carryOut(): Promise<void> {
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  const { state, fault } = await runExport(made.deps, run, new AbortController().signal);
  await finishRun(made.deps.pools.worker, run, state, fault);
}

const download = (id: number, query: string, account: "admin" | "viewer" = "admin") =>
  made.call(account, "GET", path(`runs/${id}/export${query}`));

test("an export has each object once, masked for whoever gives no reason, and keeps who took the values and why", async () => {
  const id = await start();
  expect((await download(id, "")).statusCode).toBe(409);
  await carryOut();
  const masked = await download(id, "?format=ndjson", "viewer");
  const lines = masked.body.trimEnd().split("\n");
  expect(masked.headers["content-type"]).toBe("application/x-ndjson");
  expect(lines).toHaveLength(count);
  expect(new Set(lines.map((line) => (JSON.parse(line) as { customerNumber: string }).customerNumber)).size).toBe(count);
  expect(masked.body).not.toContain("@example.com");
  expect((await download(id, "?format=ndjson&reason=curious", "viewer")).statusCode).toBe(403);
  expect((await download(id, "?format=ndjson&reason=audit")).body).toContain("person5@example.com");
  const sql = "select reason from hub.audit_event where tenant_id = $1 and target_kind = 'runs' and reason is not null";
  expect((await owner.query(sql, [tenant.tenantId])).rows).toEqual([{ reason: "audit" }]);
});

test("in CSV each path is a column, quoted and without formulas", async () => {
  const id = await start();
  await carryOut();
  const rows = (await download(id, "?reason=audit")).body.trimEnd().split("\r\n");
  expect(rows).toHaveLength(count + 1);
  expect(rows[0]?.split(",")).toEqual(expect.arrayContaining(["customerNumber", "email", "company"]));
  expect(rows.find((row) => row.includes("10007"))).toContain('"\'=1+1 ""Ltd"", Oslo"');
  const marked = await download(id, "?byteOrderMark=true");
  expect([...marked.rawPayload.subarray(0, 3)]).toEqual([0xef, 0xbb, 0xbf]);
  expect(marked.rawPayload.subarray(3)).toEqual((await download(id, "")).rawPayload);
});

test("an export says once that its objects have more values than CSV has columns for; NDJSON has them all", async () => {
  const long = JSON.stringify({ extra: Array.from({ length: 310 }, (_, line) => `line ${line}`) });
  const where = "where tenant_id = $1 and business_key in ('10003', '11100')";
  await owner.query(`update hub.entity_version set document = (document::jsonb || $2)::text ${where}`, [tenant.tenantId, long]);
  const id = await start();
  await carryOut();
  await owner.query(`update hub.entity_version set document = (document::jsonb - 'extra')::text ${where}`, [tenant.tenantId]);
  const { items } = (await made.call("viewer", "GET", path(`runs/${id}/lines`))).json<{ items: RunLine[] }>();
  expect(items).toMatchObject([{ level: "warning", faults: [{ reason: "run-columns-cut", values: { max: "300" } }] }]);
  const [head = ""] = (await download(id, "")).body.split("\r\n");
  expect(head.split(",")).toHaveLength(300);
  expect((await download(id, "?format=ndjson&reason=audit")).body).toContain("line 309");
});

test("an export that lost its worker goes on behind its last part", async () => {
  const id = await start();
  const { worker } = made.deps.pools;
  const lost = await claimRun(worker, tenant.tenantId);
  if (!lost) throw new Error("nothing to run");
  // Its process ended after the first part.
  const keys = Array.from({ length: 500 }, (_, index) => String(10_000 + index));
  const content = keys.map((key) => `{"customerNumber":"${key}"}\n`).join("");
  await inTenant(worker, tenant.tenantId, async (client) => {
    await putPart(client, lost, 1, content);
    await advanceRun(client, lost, { done: 500 }, JSON.stringify({ after: keys.at(-1), parts: 1, columns: ["customerNumber"] }));
  });
  await owner.query("update hub.run set lease_until = clock_timestamp() - interval '1 second' where tenant_id = $1", [tenant.tenantId]);
  await carryOut();
  const lines = (await download(id, "?format=ndjson")).body.trimEnd().split("\n");
  expect(new Set(lines.map((line) => (JSON.parse(line) as { customerNumber: string }).customerNumber)).size).toBe(count);
  expect(lines).toHaveLength(count);
});

test("a download breaks off when the export's retention ends meanwhile", async () => {
  const id = await start();
  await carryOut();
  // As if it had ended once the first part was read.
  await owner.query("delete from hub.export_part where tenant_id = $1 and run_id = $2 and number > 1", [tenant.tenantId, id]);
  await expect(download(id, "?format=ndjson")).rejects.toThrow("response destroyed before completion");
});

test("a download counts as an export: it waits its turn while the tenant has as many as it may, and gives its own back", async () => {
  const id = await start();
  await carryOut();
  const others = Array.from({ length: 12 }, (_, index) =>
    made.app.exports.take(tenant.tenantId, { kind: "user", userId: 100 + index, sessionId: "", role: "viewer" }),
  );
  expect((await download(id, "")).json()).toMatchObject({ status: 503, code: "unavailable" });
  for (const free of others) free();
  expect((await download(id, "")).statusCode).toBe(200);
  expect(made.app.exports.running).toBe(0);
});

test("an export of a subtenant that the tenant does not have is refused for that", async () => {
  const body = { kind: "export", subtenantCode: "none", entityType: "customer" };
  expect((await made.call("admin", "POST", path("runs"), body)).json()).toMatchObject({ code: "unknown-subtenant" });
});
