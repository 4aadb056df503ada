import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createDirectory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant } from "../intake/testing.ts";
import { type TestApp, callTenant, testApp, waitingForLocks } from "../testing/test-app.ts";
import { listCurrent, lockCurrent } from "./current-entities.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

test("an object is of the source that brought in its newest version, also when another one has told the same since", async () => {
  const { deps } = made;
  const { tenantId, subtenantId, points } = await makeTenant(deps, made.ownerUrl, "echoed", [
    { connector: "wgr", code: "pim", sourceTypes: ["customer"] },
    { connector: "litium", code: "shop", sourceTypes: ["customer"], targetTypes: ["customer"] },
  ]);
  const directory = createDirectory(deps.pools.app, deps);
  const intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
  const documents = [{ customerNumber: "1" }];
  for (const code of ["pim", "shop"]) {
    const point = (await directory.of(tenantId)).points.get(points[code]?.id ?? 0);
    if (!point) throw new Error("no source");
    await inTenant(deps.pools.app, tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "customer", documents }));
  }
  await directory.close();
  const place = { tenantId, subtenantId, entityType: "customer" };
  await inTenant(deps.pools.worker, tenantId, async (client) => {
    const pim = [expect.objectContaining({ version: 1, pointId: points["pim"]?.id })];
    expect((await listCurrent(client, place, { after: null, withTests: false, limit: 9 })).objects).toEqual(pim);
    expect(await lockCurrent(client, place, ["1"], false)).toEqual(pim);
  });
});

test("what changes while somebody waits for it is sent anew as it became, and is nothing unknown", async () => {
  const { deps } = made;
  const { tenantId, subtenantId, points } = await makeTenant(deps, made.ownerUrl, "changing", [
    { connector: "wgr", code: "crm", sourceTypes: ["customer"] },
    { connector: "litium", code: "shop", targetTypes: ["customer"] },
  ]);
  const directory = createDirectory(deps.pools.app, deps);
  const point = (await directory.of(tenantId)).points.get(points["crm"]?.id ?? 0);
  if (!point) throw new Error("no source");
  const intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
  const takeIn = (note: string, until: Promise<void>) =>
    inTenant(deps.pools.app, tenantId, async (client) => {
      await intake.storeDocumentsIn(client, { point, entityType: "customer", documents: [{ customerNumber: "1", note }] });
      await until;
    });
  await takeIn("first", Promise.resolve());
  const owner = made.pool("owner", 1);
  const askedWhileItBecomes = async <Answer>(note: string, ask: () => Promise<Answer>): Promise<Answer> => {
    const commit = Promise.withResolvers<void>();
    const change = takeIn(note, commit.promise);
    await expect
      .poll(async () => (await owner.query("select from pg_locks where locktype = 'advisory' and classid = 7265643")).rowCount)
      .toBe(1);
    const answer = ask();
    await expect.poll(() => waitingForLocks(owner)).toBe(1);
    commit.resolve();
    await change;
    return answer;
  };
  const place = { tenantId, subtenantId, entityType: "customer" };
  const locked = () => inTenant(deps.pools.worker, tenantId, (client) => lockCurrent(client, place, ["1"], false));
  expect(await askedWhileItBecomes("second", locked)).toMatchObject([{ key: "1", version: 2 }]);
  const named = { subtenant: "shop", entityType: "customer", key: "1" };
  const resent = () => callTenant(made, "changing", "POST", "entity-resyncs", named, 201);
  expect(await askedWhileItBecomes("third", resent)).toMatchObject({ version: 3 });
  await directory.close();
});

test("of a real object and a test object with one key, the one that changed last is what a test system gets", async () => {
  const { deps } = made;
  const { tenantId, subtenantId, points } = await makeTenant(deps, made.ownerUrl, "tested", [
    { connector: "wgr", code: "crm", sourceTypes: ["customer"] },
    { connector: "wgr", code: "test-crm", sourceTypes: ["customer"], environment: "development" },
  ]);
  const directory = createDirectory(deps.pools.app, deps);
  const intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
  const place = { tenantId, subtenantId, entityType: "customer" };
  for (const [change, code] of ["test-crm", "crm", "test-crm"].entries()) {
    const point = (await directory.of(tenantId)).points.get(points[code]?.id ?? 0);
    if (!point) throw new Error("no source");
    const documents = [{ customerNumber: "1", note: `change ${change}` }];
    await inTenant(deps.pools.app, tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "customer", documents }));
    await inTenant(deps.pools.worker, tenantId, async (client) => {
      const newest = [expect.objectContaining({ key: "1", pointId: point.id })];
      expect((await listCurrent(client, place, { after: null, withTests: true, limit: 9 })).objects).toEqual(newest);
      expect(await lockCurrent(client, place, ["1"], true)).toEqual(newest);
    });
  }
  await directory.close();
});

test("objects with large documents come a few at a time, each once, and the last page says so", async () => {
  const { deps } = made;
  const { tenantId, points } = await makeTenant(deps, made.ownerUrl, "large", [
    { connector: "wgr", code: "pim", sourceTypes: ["customer"] },
  ]);
  const directory = createDirectory(deps.pools.app, deps);
  const point = (await directory.of(tenantId)).points.get(points["pim"]?.id ?? 0);
  if (!point) throw new Error("no source");
  const intake = createIntake({ pool: deps.pools.app, directory, logger: deps.logger });
  const attributes = Object.fromEntries(Array.from({ length: 310 }, (_, index) => [`a${index}`, "x".repeat(10_000)]));
  const documents = ["1", "2", "3", "4", "5"].map((customerNumber) => ({ customerNumber, attributes }));
  await inTenant(deps.pools.app, tenantId, (client) => intake.storeDocumentsIn(client, { point, entityType: "customer", documents }));
  await directory.close();

  const place = { tenantId, subtenantId: point.subtenantId, entityType: "customer" };
  const page = (after: string | null, limit: number) =>
    inTenant(deps.pools.worker, tenantId, async (client) => {
      const { objects, isLast } = await listCurrent(client, place, { after, withTests: false, limit });
      return { keys: objects.map(({ key }) => key), isLast };
    });
  expect(await page(null, 500)).toEqual({ keys: ["1", "2", "3"], isLast: false });
  expect(await page("3", 500)).toEqual({ keys: ["4", "5"], isLast: true });
  expect(await page("3", 2)).toEqual({ keys: ["4", "5"], isLast: false });
  expect(await page("5", 2)).toEqual({ keys: [], isLast: true });
});
