import type { ScanLine } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { scanBySteps, walkScan, type ScanStep } from "./scanning.ts";

let made: TestApp;
let tenant: TestTenant;
const base = "/api/v1/tenants/scanned";
/** More than two steps' worth of rows at the pace that a scan begins with. */
const rows = 1300;

// One in 400 is what the filter looks for; the ids of the external messages leave gaps, as those of other tenants do.
const fillSql = [
  `insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature, headers, body)
   select $1, nextval('queue.message_id') + n, $2, $3, 'hook', 'item', 'K-' || lpad(n::text, 4, '0'), 'accepted', 'valid', '{}',
     convert_to(json_build_object('lot', n % 400, 'customer', json_build_object('email', 'eva@example.com'))::text, 'UTF8')
   from generate_series(1, $5::integer) n where $4::integer > 0`,
  `insert into hub.entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, integration_point_id)
   select $1, $2, 'item', 'K-' || lpad(n::text, 4, '0'), false, 1, '', $3 from generate_series(1, $5::integer) n where $4::integer > 0`,
  `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
   select $1, $2, 'item', 'K-' || lpad(n::text, 4, '0'), false, 1, 1, $3, json_build_object('lot', n % 400) from generate_series(1, $5::integer) n where $4::integer > 0`,
  `insert into hub.external_item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_at)
   select $1, $4, 'item', 'K-' || lpad(n::text, 4, '0'), $2, 'x-' || n, null from generate_series(1, $5::integer) n where $3::integer > 0`,
];

beforeAll(async () => {
  made = await testApp();
  tenant = await makeTenant(made.deps, made.ownerUrl, "scanned", [
    { code: "erp", connector: "magento", sourceTypes: ["item"] },
    { code: "shop", connector: "centra", targetTypes: ["item"] },
  ]);
  const { tenantId, points } = tenant;
  const owner = made.pool("owner", 1);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values ($1, 2), ($1, 3)", [tenantId]);
  const subtenant = await owner.query<{ id: number }>("select id from hub.subtenant where tenant_id = $1", [tenantId]);
  const values = [tenantId, subtenant.rows[0]?.id, points["erp"]?.id, points["shop"]?.id, rows];
  for (const sql of fillSql) await owner.query(sql, values);
});
afterAll(() => made.close());

type Row = { key: string };
const wanted = "$.lot = 7";

async function scan(path: string, query: Record<string, string>): Promise<ScanLine<Row>[]> {
  const answer = await made.call("viewer", "GET", `${base}/${path}?${new URLSearchParams(query).toString()}`);
  const lines = answer.body.trimEnd().split("\n");
  return lines.map((line): ScanLine<Row> => JSON.parse(line));
}

const keysOf = (lines: ScanLine<Row>[]): string[] => lines.flatMap(({ items }) => items.map(({ key }) => key));
const upwards = ["K-0007", "K-0407", "K-0807", "K-1207"];
const lists = [
  { scanned: "external-message-scan", listed: "external-messages", more: {}, keys: upwards.toReversed() },
  { scanned: "external-item-scan", listed: "external-items", more: {}, keys: upwards },
  { scanned: "external-item-scan", listed: "external-items", more: { externalId: "x-" }, keys: ["K-1207", "K-0407", "K-0007", "K-0807"] },
  { scanned: "entity-scan", listed: "entities", more: { entityType: "item" }, keys: upwards },
];

test.each(lists)(
  "$scanned with $more finds what the list does, in steps, and says when all is searched",
  async ({ scanned, listed, more, keys }) => {
    const lines = await scan(scanned, { ...more, payload: wanted });
    expect(keysOf(lines)).toEqual(keys);
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.slice(0, -1).every(({ isEnd, searchedTo, nextCursor }) => !isEnd && searchedTo !== null && nextCursor !== null)).toBe(
      true,
    );
    expect(lines.at(-1)).toMatchObject({ isEnd: true, searchedTo: null, nextCursor: null });
    const query = new URLSearchParams({ ...more, payload: wanted }).toString();
    const page = await made.call("viewer", "GET", `${base}/${listed}?${query}`);
    expect(page.json<{ items: Row[] }>().items.map(({ key }) => key)).toEqual(keys);
    const exported = await made.call("viewer", "GET", `${base}/${listed}/export?format=ndjson&${query}`);
    const rowsOfExport = exported.body.trimEnd().split("\n");
    expect(rowsOfExport.map((line): Row => JSON.parse(line)).map(({ key }) => key)).toEqual(keys);
  },
);

test.each(lists)(
  "$scanned with $more goes on where its limit ended it, without leaving out or repeating a row",
  async ({ scanned, more, keys }) => {
    const found: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const lines: ScanLine<Row>[] = await scan(scanned, { ...more, payload: wanted, limit: "1", ...(cursor && { cursor }) });
      expect(keysOf(lines).length).toBeLessThanOrEqual(1);
      found.push(...keysOf(lines));
      cursor = lines.at(-1)?.nextCursor ?? null;
    }
    expect(found).toEqual(keys);
  },
);

test("removed external items are scanned, too, the last removed first", async () => {
  const { items } = (await made.call("user", "GET", `${base}/external-items?limit=500&keyPrefix=K-0`)).json<{
    items: { integrationPointId: number; entityType: string; key: string }[];
  }>();
  const wish = items.map(({ integrationPointId, entityType, key }) => ({ integrationPointId, entityType, key }));
  expect((await made.call("user", "POST", `${base}/external-items/remove`, { items: wish })).statusCode).toBe(200);
  const lines = await scan("external-item-scan", { removed: "true", payload: wanted });
  expect(keysOf(lines)).toEqual(["K-0407", "K-0007"]);
  expect(keysOf(await scan("external-item-scan", { removed: "true", payload: wanted, key: "K-0007" }))).toEqual(["K-0007"]);
  expect(keysOf(await scan("external-item-scan", { payload: wanted }))).toEqual(["K-0807", "K-1207"]);
});

test.each(["external-message-scan", "external-item-scan", "entity-scan"])(
  "%s tells nobody of values that are masked for them",
  async (path) => {
    const query = new URLSearchParams({ entityType: "item", payload: '$.customer.email = "eva@example.com"' }).toString();
    expect((await made.call("viewer", "GET", `${base}/${path}?${query}`)).statusCode).toBe(403);
  },
);

test("a step reads all as of one moment: what is written between its statements would push another row out of it", async () => {
  const owner = made.pool("owner", 1);
  const look = async (client: pg.PoolClient): Promise<ScanStep<number | null>> => {
    const { rowCount: before } = await client.query("select from hub.entity");
    await owner.query(`
      insert into hub.entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, integration_point_id)
      select tenant_id, subtenant_id, 'price', business_key, is_development, version, hash, integration_point_id from hub.entity limit 1`);
    const { rowCount: after } = await client.query("select from hub.entity");
    return { items: [before, after], cursor: null, searchedTo: null };
  };
  const steps = walkScan(made.deps.pools.readOnly, tenant.tenantId, async () => scanBySteps(undefined, look), new AbortController().signal);
  expect(await Array.fromAsync(steps)).toEqual([[rows, rows]]);
});
