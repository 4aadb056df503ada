import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createKeyRing } from "../keys/key-ring.ts";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { createDirectory } from "./directory.ts";
import { makeTenant } from "./testing.ts";

let made: TestDeps;
beforeAll(async () => {
  made = await testDeps();
});
afterAll(() => made.close());

function bound(of: object, name: PropertyKey): unknown {
  const value: unknown = Reflect.get(of, name);
  return typeof value === "function" ? value.bind(of) : value;
}

/** The pool, whose connections call `meanwhile` before they ask for the version of the mappings. */
function interrupted(pool: pg.Pool, meanwhile: () => Promise<void>): pg.Pool {
  const watch = (client: pg.PoolClient): pg.PoolClient => {
    const query = async (...sent: Parameters<pg.PoolClient["query"]>): Promise<unknown> => {
      if (sent[0].includes("hub.mapping_version")) await meanwhile();
      return client.query(...sent);
    };
    return new Proxy(client, { get: (of, name) => (name === "query" ? query : bound(of, name)) });
  };
  const connect = async () => watch(await pool.connect());
  return new Proxy(pool, { get: (of, name) => (name === "connect" ? connect : bound(of, name)) });
}

test("a tenant's mappings and their version are those of one moment, whatever is changed while they are read", async () => {
  const { tenantId } = await makeTenant(made.deps, made.ownerUrl, "mapped", []);
  const owner = new pg.Client({ connectionString: made.ownerUrl });
  await owner.connect();
  // A version is made by the change itself.
  const change = async () => {
    await owner.query(
      `insert into hub.mapping (tenant_id, field_name, source, source_value, target, target_value) values ($1, 'currency', 'brink', 'SEK', 'sitoo', 'EUR')`,
      [tenantId],
    );
  };
  let isChanged = false;
  const directory = createDirectory(
    interrupted(made.deps.pools.app, async () => {
      if (!isChanged) await change();
      isChanged = true;
    }),
    made.deps,
  );
  try {
    await directory.ready;
    expect(await directory.of(tenantId)).toMatchObject({ mappingVersion: 0 });
    expect(isChanged).toBe(true);
    expect(await directory.fresh(tenantId)).toMatchObject({ mappingVersion: 1 });
  } finally {
    await directory.close();
    await owner.end();
  }
});

test("what comes from an integration point as it was before a change goes where it leads now, and so does what follows", async () => {
  const { tenantId, points } = await makeTenant(made.deps, made.ownerUrl, "stale", [
    { code: "erp", connector: "litium", sourceTypes: ["item"] },
    { code: "shop", connector: "magento", sourceTypes: ["item"], targetTypes: ["item"] },
  ]);
  const owner = new pg.Client({ connectionString: made.ownerUrl });
  await owner.connect();
  const directory = createDirectory(made.deps.pools.app, made.deps);
  try {
    await directory.ready;
    const stale = (await directory.of(tenantId)).points.get(points["erp"]?.id ?? 0);
    await owner.query("update hub.integration_point set target_types = '{item}' where tenant_id = $1 and code = 'erp'", [tenantId]);
    const tenant = await directory.fresh(tenantId);
    expect(tenant.routesFrom(stale!, "item")).toMatchObject([{ isReturned: true }]);
    expect(tenant.routesFrom(tenant.points.get(stale!.id)!, "item")).toMatchObject([{ isReturned: true }]);
  } finally {
    await directory.close();
    await owner.end();
  }
});

test("credentials whose key comes later than they do are opened once it is there, without another change", async () => {
  const withKey = (key: () => string) => ({ ...made.deps, keys: { ...made.deps.keys, credentials: createKeyRing(() => [key()]) } });
  const [older, newer] = ["a".repeat(40), "b".repeat(40)];
  let copied = older;
  const { tenantId } = await makeTenant(
    withKey(() => newer),
    made.ownerUrl,
    "rotated",
    [{ code: "shop", targetTypes: ["item"], credentials: { token: "s3cret" } }],
  );
  const directory = createDirectory(
    made.deps.pools.app,
    withKey(() => copied),
  );
  const opened = async () => [...(await directory.of(tenantId)).points.values()].map(({ credentials }) => credentials);
  try {
    await directory.ready;
    expect(await opened()).toEqual([null]);
    copied = newer;
    await expect.poll(opened, { timeout: 5_000 }).toEqual([{ token: "s3cret" }]);
  } finally {
    await directory.close();
  }
});
