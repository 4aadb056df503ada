import { afterAll, beforeAll, expect, test } from "vitest";
import pg from "pg";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { testDeps } from "../testing.ts";
import { createIntakePruning, pruneAnswers } from "./pruning.ts";

let deps: Deps;
let close: () => Promise<void>;
let owner: pg.Client;
let tenant: TestTenant;

beforeAll(async () => {
  const made = await testDeps();
  ({ deps, close } = made);
  owner = new pg.Client({ connectionString: made.ownerUrl });
  await owner.connect();
  tenant = await makeTenant(deps, made.ownerUrl, "pruned", []);
});
afterAll(async () => {
  await owner.end();
  await close();
});

const idDaysAgo = `(((now() at time zone 'utc')::date - date '1970-01-01' - $2::integer)::bigint * 10000000000 + 1)`;

async function addVersion(key: string, version: number, daysAgo: number): Promise<void> {
  await owner.query(
    `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
     values ($1, 1, 'item', $3, false, $4, ${idDaysAgo}, 1, '{}')`,
    [tenant.tenantId, daysAgo, key, version],
  );
}

test("intake keys go after seven days, and concurrent schedulers do not disturb each other", async () => {
  for (const [key, daysAgo] of Object.entries({ a: 0, b: 6, c: 8, d: 100 })) {
    await owner.query(`insert into hub.intake_key (tenant_id, hash, external_message_id, body_hash) values ($1, $3, ${idDaysAgo}, '')`, [
      tenant.tenantId,
      daysAgo,
      Buffer.from(key),
    ]);
  }
  await Promise.all([createIntakePruning(deps.pools.worker, 30)(), createIntakePruning(deps.pools.worker, 30)()]);
  const { rows } = await inTenant(deps.pools.worker, tenant.tenantId, (client) =>
    client.query<{ key: string }>("select convert_from(hash, 'UTF8') as key from hub.intake_key order by 1"),
  );
  expect(rows.map(({ key }) => key)).toEqual(["a", "b"]);
});

test("a version goes when it has been replaced for the whole retention, the newest one never", async () => {
  await addVersion("never changed", 1, 200);
  await addVersion("replaced long ago", 1, 200);
  await addVersion("replaced long ago", 2, 100);
  await addVersion("replaced long ago", 3, 31);
  await addVersion("replaced lately", 1, 200);
  await addVersion("replaced lately", 2, 5);
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query<{ kept: string }>(
    "select business_key || ' ' || version as kept from hub.entity_version where tenant_id = $1 order by 1",
    [tenant.tenantId],
  );
  expect(rows.map(({ kept }) => kept)).toEqual(["never changed 1", "replaced lately 1", "replaced lately 2", "replaced long ago 3"]);
});

test("answers to creating requests go after a day, the installation's too", async () => {
  for (const [key, age] of Object.entries({ new: "23 hours", old: "25 hours" })) {
    await owner.query(
      `insert into hub.idempotent_answer (tenant_id, hash, request_hash, answer, created_at)
       select id, $2, '', '{}', now() - $3::interval from unnest(array[0, $1::integer]) as id`,
      [tenant.tenantId, Buffer.from(key), age],
    );
  }
  await Promise.all([pruneAnswers(deps.pools.worker), pruneAnswers(deps.pools.worker)]);
  const { rows } = await owner.query<{ key: string }>("select convert_from(hash, 'UTF8') as key from hub.idempotent_answer");
  expect(rows.map(({ key }) => key)).toEqual(["new", "new"]);
});

test("what grew old in a tenant that is not active goes as well, also what grew old long ago", async () => {
  await addVersion("inactive", 1, 200);
  await addVersion("inactive", 2, 31);
  await addVersion("inactive for long", 1, 200);
  await addVersion("inactive for long", 2, 100);
  await owner.query("update hub.tenant set is_active = false where id = $1", [tenant.tenantId]);
  await createIntakePruning(deps.pools.worker, 30)();
  const { rows } = await owner.query("select version from hub.entity_version where business_key like 'inactive%'");
  expect(rows).toEqual([{ version: 2 }, { version: 2 }]);
});
