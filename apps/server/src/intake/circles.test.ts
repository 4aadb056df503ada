import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import pg from "pg";
import type { EntityType } from "@crossdock/contract";
import type { Deps } from "../deps.ts";
import { testDeps } from "../testing/test-app.ts";
import { createDirectory, type Directory } from "./directory.ts";
import { createIntake, type Arrival, type Intake } from "./intake.ts";
import { makeTenant, type TestTenant } from "./testing.ts";

let deps: Deps;
let close: () => Promise<void>;
let owner: pg.Client;
let ownerUrl: string;
let directory: Directory;
let intake: Intake;
let tenant: TestTenant;
let tenants = 0;

beforeAll(async () => {
  ({ deps, ownerUrl, close } = await testDeps());
  owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  directory = createDirectory(deps.pools.app, deps);
  await directory.ready;
  intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
});
afterAll(async () => {
  await directory.close();
  await owner.end();
  await close();
});
beforeEach(async () => {
  tenants += 1;
  const both: EntityType[] = ["item", "stock"];
  tenant = await makeTenant(deps, ownerUrl, `tenant-${tenants}`, [
    { code: "erp", connector: "litium", sourceTypes: both, targetTypes: both },
    { code: "shop", connector: "magento", sourceTypes: both, targetTypes: both },
    { code: "till", connector: "sitoo", targetTypes: both },
  ]);
});

let changes = 0;

async function change(code: string, entityType: EntityType = "item", more: Partial<Arrival> = {}) {
  const point = (await directory.of(tenant.tenantId)).points.get(tenant.points[code]?.id ?? 0);
  if (!point) throw new Error(`no point ${code}`);
  changes += 1;
  const document = entityType === "item" ? { sku: "A1", name: `Chair ${changes}` } : { sku: "A1", quantity: String(changes) };
  const body = Buffer.from(JSON.stringify(document));
  const headers = { "content-type": "application/json" };
  const arrival = { point, channel: "gateway" as const, entityType, headers, body, signature: "not-applicable" as const, dedupeName: null };
  const { externalMessageId, reasons } = await intake.receive({ ...arrival, ...more });
  const { rows } = await owner.query<{ code: string }>(
    `select point.code from queue.message join queue.queue on queue.tenant_id = message.tenant_id and queue.id = message.queue_id
     join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
     where message.tenant_id = $1 and message.origin_id = $2 order by 1`,
    [tenant.tenantId, externalMessageId],
  );
  return { to: rows.map((row) => row.code), reasons: reasons.map(({ reason }) => reason) };
}

/** The two systems change the object in turns. */
async function takeTurns(entityType?: EntityType): Promise<void> {
  for (const code of ["erp", "shop", "erp", "shop", "erp"]) {
    const other = code === "erp" ? "shop" : "erp";
    expect(await change(code, entityType)).toEqual({ to: [other, "till"].toSorted(), reasons: [] });
  }
}

const held = { to: ["till"], reasons: ["entity-circling"] };

test("what two systems make of each other's changes stops going back and forth, other targets get it all the same", async () => {
  await takeTurns();
  expect(await change("shop")).toEqual(held);
  expect(await change("erp")).toEqual(held);
  // Somebody changes it there: it is no answer to the other's change.
  expect(await change("erp")).toEqual({ to: ["shop", "till"], reasons: [] });
});

test("an operator who replays a message sends it all the same", async () => {
  await takeTurns();
  const { rows } = await owner.query<{ id: string }>("select max(id)::text as id from hub.external_message where tenant_id = $1", [
    tenant.tenantId,
  ]);
  expect(await change("shop", "item", { replayOf: rows[0]?.id ?? "" })).toEqual({ to: ["erp", "till"], reasons: [] });
});

test.each([
  ["item", "119 minutes", held],
  ["item", "121 minutes", { to: ["erp", "till"], reasons: [] }],
  ["stock", "9 minutes", held],
  ["stock", "11 minutes", { to: ["erp", "till"], reasons: [] }],
] as const)("changes of %s that began %s ago", async (entityType, ago, expected) => {
  await takeTurns(entityType);
  await owner.query("update hub.entity_version set created_at = now() - $2::interval where tenant_id = $1 and version = 1", [
    tenant.tenantId,
    ago,
  ]);
  expect(await change("shop", entityType)).toEqual(expected);
});

test("where only one of two systems is given the type, both may change it as often as they like", async () => {
  await owner.query("update hub.integration_point set target_types = '{stock}' where tenant_id = $1 and code = 'erp'", [tenant.tenantId]);
  await directory.fresh(tenant.tenantId);
  for (const code of ["erp", "shop", "erp", "shop", "erp", "shop", "erp"]) {
    expect(await change(code)).toEqual({ to: code === "erp" ? ["shop", "till"] : ["till"], reasons: [] });
  }
});
