import { afterAll, beforeAll, expect, test } from "vitest";
import { inTenant } from "../db.ts";
import { createDirectory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant } from "../intake/testing.ts";
import { type TestApp, testApp } from "../testing.ts";
import { listCurrent, lockCurrent } from "./current-entities.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

test("an object is of the source that brought in its newest version, also when another one has told the same since", async () => {
  const { deps } = made;
  const { tenantId, subtenantId, points } = await makeTenant(deps, made.ownerUrl, "echoed", [
    { connector: "wgr", code: "pim", direction: "source", entityTypes: ["customer"] },
    { connector: "litium", code: "shop", direction: "both", entityTypes: ["customer"] },
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

test("objects with large documents come a few at a time, each once, and the last page says so", async () => {
  const { deps } = made;
  const { tenantId, points } = await makeTenant(deps, made.ownerUrl, "large", [
    { connector: "wgr", code: "pim", direction: "source", entityTypes: ["customer"] },
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
