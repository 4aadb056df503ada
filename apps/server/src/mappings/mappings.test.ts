import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/mappings";
const mapping = (sourceValue: string, change: object = {}) => ({
  fieldName: "color",
  source: "delogue",
  sourceValue,
  target: "shopify",
  targetValue: "Blue",
  ...change,
});
const create = async (sourceValue: string, change: object = {}) =>
  (await made.call("user", "POST", path, mapping(sourceValue, change))).json<{ id: number; version: number }>();
const targetValueOf = async (id: number): Promise<string | undefined> =>
  (await made.call("viewer", "GET", `${path}?limit=500`)).json().items.find((item: { id: number }) => item.id === id)?.targetValue;

test("a page ends where the next begins, and together they are everything, newest first", async () => {
  for (const value of ["navy", "sky", "azure", "teal", "cyan"]) {
    expect((await made.call("user", "POST", path, mapping(value))).statusCode).toBe(201);
  }
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = (await made.call("viewer", "GET", `${path}?limit=2${cursor}`)).json();
    seen.push(...page.items.map((item: { sourceValue: string }) => item.sourceValue));
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  expect(seen).toEqual(["cyan", "teal", "azure", "sky", "navy"]);
  expect((await made.call("viewer", "GET", "/api/v1/tenants/acme/mapping-count?fieldName=color")).json()).toEqual({
    count: 5,
    isExact: true,
  });
});

test("one value has one meaning: the same mapping again is refused, for a subtenant of its own it is not", async () => {
  await create("ink");
  expect((await made.call("user", "POST", path, mapping("ink"))).json()).toMatchObject({ status: 409, code: "already-exists" });
  expect((await made.call("user", "POST", path, mapping("ink", { subtenantCode: "shop" }))).statusCode).toBe(201);
});

test.each([
  ["an unknown subtenant", { subtenantCode: "nowhere" }, "unknown-subtenant"],
  ["a source that is no connector", { source: "shopifi" }, "validation-failed"],
  ["a target that is no connector", { target: "shopifi" }, "validation-failed"],
  ["any target", { target: "*" }, "validation-failed"],
  ["a field name with an empty part", { fieldName: "lines..taxCode" }, "validation-failed"],
])("%s is refused", async (_what, change, code) => {
  expect((await made.call("user", "POST", path, mapping("moss", change))).json()).toMatchObject({ status: 400, code });
});

test("a mapping is edited as it was read, and not what another one has", async () => {
  const { id, version } = await create("lime");
  const edited = await made.call("user", "PATCH", `${path}/${id}`, { targetValue: "Green" }, { "if-match": `"${version}"` });
  expect(edited.json()).toMatchObject({ sourceValue: "lime", targetValue: "Green", version: version + 1 });
  const late = await made.call("user", "PATCH", `${path}/${id}`, { targetValue: "Red" }, { "if-match": `"${version}"` });
  expect(late.json()).toMatchObject({ status: 412, code: "version-changed", current: { targetValue: "Green", changedBy: "Uli" } });
  expect((await made.call("user", "PATCH", `${path}/${id}`, { sourceValue: "ink" })).json()).toMatchObject({ code: "already-exists" });
  expect((await made.call("viewer", "PATCH", `${path}/${id}`, { targetValue: "Red" })).statusCode).toBe(403);
});

test("a mapping that closes a circle of values is refused and changes nothing, also by an edit", async () => {
  const step = (source: string, sourceValue: string, target: string, targetValue: string) =>
    made.call("user", "POST", path, { fieldName: "fit", source, sourceValue, target, targetValue });
  expect((await step("litium", "slim", "magento", "S")).statusCode).toBe(201);
  const back = await step("magento", "S", "litium", "slim");
  expect(back.statusCode).toBe(201);
  expect((await step("litium", "narrow", "magento", "N")).statusCode).toBe(201);
  expect((await step("magento", "N", "litium", "slim")).statusCode).toBe(201);
  const refused = await made.call("user", "PATCH", `${path}/${back.json().id}`, { targetValue: "narrow" });
  expect(refused.json()).toMatchObject({ status: 409, code: "mapping-cycle", detail: expect.stringContaining("narrow") });
  expect(await targetValueOf(back.json().id)).toBe("slim");
});

const found = async (text: string): Promise<string[]> =>
  (await made.call("viewer", "GET", `${path}?search=${encodeURIComponent(text)}`))
    .json()
    .items.map((item: { fieldName: string }) => item.fieldName);

test("search finds a part of any column regardless of case, and takes wildcards literally", async () => {
  await create("100%", { fieldName: "fabric" });
  expect(await found("FABR")).toEqual(["fabric"]);
  expect(await found("0%")).toEqual(["fabric"]);
  expect(await found("a%c")).toEqual([]);
});

test("a removed mapping is gone and comes back as it was, unless its value has another one by then", async () => {
  const { id } = await create("gone");
  const remove = async () => (await made.call("user", "POST", `${path}/remove`, { ids: [id] })).json<{ ids: number[] }>().ids;
  expect(await remove()).toEqual([id]);
  expect(await remove()).toEqual([]);
  expect((await made.call("user", "POST", `${path}/restore`, { ids: [id, 999_999] })).json()).toMatchObject({
    ids: [id],
    skipped: [{ id: "999999", isThere: false, removedBy: null }],
  });
  expect(await targetValueOf(id)).toBe("Blue");
  expect((await made.call("user", "POST", `${path}/remove`, { ids: [id] })).json()).toEqual({ ids: [id], skipped: [] });
  // What is named twice is told once.
  const late = await made.call("admin", "POST", `${path}/remove`, { ids: [id, id] });
  expect(late.json()).toMatchObject({ ids: [], skipped: [{ id: String(id), isThere: false, removedBy: "Uli" }] });
  await create("gone", { targetValue: "Other" });
  expect((await made.call("user", "POST", `${path}/restore`, { ids: [id] })).json()).toMatchObject({ ids: [] });
});

const head = "fieldName,source,sourceValue,target,targetValue,subtenant";
const importFile = async (csv: string, isDryRun = false) => (await made.call("user", "POST", `${path}/import`, { csv, isDryRun })).json();
const importCsv = (lines: string[], isDryRun = false) => importFile([head, ...lines].join("\n"), isDryRun);

test("an import looks through a long line of names once, not for each cell", async () => {
  const indexOf = vi.spyOn(Array.prototype, "indexOf");
  const lines = Array.from({ length: 50 }, (_, index) => `wide,litium,${index},shopify,x,`);
  const answer = await made.call("user", "POST", `${path}/import`, {
    csv: [`${head}${",".repeat(300)}`, ...lines].join("\n"),
    isDryRun: true,
  });
  const looks = indexOf.mock.contexts.filter((names) => Array.isArray(names) && names.length > 300).length;
  indexOf.mockRestore();
  expect(answer.json()).toMatchObject({ created: 50, errorCount: 0 });
  expect(looks).toBeLessThan(10);
});

test("an import names each wrong line and writes nothing, a dry run counts and writes nothing, then all of it is written", async () => {
  const wrong = await importCsv([
    "size,litium,S,shopify,Small,",
    "size,lithium,M,shopify,M,",
    "size,litium,S,shopify,Other,",
    "a,*,b,sitoo,c,nowhere",
    "sku,litium,B-42\u200b,shopify,B-42\u200b,",
  ]);
  const unseen = { line: 6, reason: "csv-unseen", values: { column: "targetValue" } };
  expect(wrong).toMatchObject({ errorCount: 4, errors: [{ line: 3 }, { line: 4 }, { line: 5 }, unseen] });
  const open = await importCsv(["size,litium,S,shopify,Small,", 'size,litium,M,shopify,"Medium', "size,litium,L,shopify,Large,"]);
  expect(open).toMatchObject({ errorCount: 1, errors: [{ line: 3, reason: "file-quote-open" }] });
  // Where only what may be left out is lacking, at the end, nothing is wrong.
  const uneven = await importCsv(["size,litium", "size,litium,S,shopify,Small", "size,litium,M,shopify,Medium,shop,more"]);
  const unfit = [
    { line: 2, reason: "file-cells", values: { cells: 2, columns: 6 } },
    { line: 4, reason: "file-cells", values: { cells: 7, columns: 6 } },
  ];
  expect(uneven).toMatchObject({ errorCount: 2, errors: unfit });
  const right = ["size,litium,S,shopify,Small,", 'size,litium,"L, wide",shopify,Large,shop'];
  expect(await importCsv(right, true)).toMatchObject({ created: 2, updated: 0, errorCount: 0, version: null });
  const { version } = await importCsv(right);
  expect((await made.call("viewer", "GET", versions)).json().items[0]).toMatchObject({ version, added: 2, reason: "CSV" });
  expect(await importCsv(right)).toMatchObject({ unchanged: 2, version: null });
  expect(await importCsv(["size,litium,S,shopify,Tiny,", right[1] ?? ""])).toMatchObject({ created: 0, updated: 1, unchanged: 1 });
  expect((await made.call("viewer", "GET", `${path}?fieldName=size`)).json().items).toMatchObject([
    { sourceValue: "L, wide", subtenantCode: "shop" },
    { sourceValue: "S", targetValue: "Tiny", version: 2 },
  ]);
  const cycle = await importCsv(["fit,shopify,a,shopify,b,", "fit,shopify,b,shopify,a,"]);
  expect(cycle).toMatchObject({ errorCount: 1, errors: [{ message: expect.stringContaining("never come to rest") }] });
});

test("a file that has a column twice is refused, as nobody could tell which of the two is meant", async () => {
  const line = "pair,litium,S,shopify,Small,shop";
  for (const [column, name] of [
    ["targetValue", "targetValue"],
    [" targetValue", "targetValue"],
    ["subtenantCode", "subtenant"],
  ]) {
    const error = { line: 1, message: `The header has ${name} twice.`, reason: "csv-column-twice", values: { column: name } };
    expect(await importFile(`${head},${column}\n${line},Other`)).toEqual({
      created: 0,
      updated: 0,
      version: null,
      unchanged: 0,
      errors: [error],
      errorCount: 1,
    });
  }
  expect(await importFile(`${head},note,note\n${line},one,two`)).toMatchObject({ created: 1, errorCount: 0 });
});

const versions = "/api/v1/tenants/acme/mapping-versions";
const newest = async () => (await made.call("viewer", "GET", `${versions}?limit=1`)).json().items[0];

test("what one call changes is one version with its author, and rolling back makes a new one that undoes all later ones", async () => {
  const { id } = await create("before", { fieldName: "version" });
  const { version: wanted } = await newest();
  await made.call("user", "PATCH", `${path}/${id}`, { targetValue: "Green" });
  const other = await create("after", { fieldName: "version" });
  await importCsv(["version,litium,1,sitoo,one,", "version,litium,2,sitoo,two,"]);
  expect(await newest()).toMatchObject({ version: wanted + 3, madeBy: "Uli", reason: "CSV", added: 2, changed: 0, removed: 0 });
  const details = (await made.call("viewer", "GET", `${versions}/${wanted}`)).json();
  expect(details.changes).toMatchObject([{ before: null, after: { sourceValue: "before", targetValue: "Blue", subtenantCode: null } }]);
  expect(details).toMatchObject({ toRestoreCount: 4 });
  const back = await made.call("user", "POST", `${versions}/${wanted}/restore`, { reason: "wrong colours" });
  expect(back.json()).toEqual({ version: wanted + 4, changes: 4 });
  expect(await newest()).toMatchObject({ restored: wanted, reason: "wrong colours", changed: 1, removed: 3 });
  expect(await targetValueOf(id)).toBe("Blue");
  expect(await targetValueOf(other.id)).toBeUndefined();
  // And forth again: what was rolled back is a version like any other.
  await made.call("user", "POST", `${versions}/${wanted + 3}/restore`, {});
  expect(await targetValueOf(id)).toBe("Green");
  expect(await targetValueOf(other.id)).toBe("Blue");
  expect((await made.call("user", "POST", `${versions}/999999/restore`, {})).statusCode).toBe(404);
});

test("the first version is undone by going back to before it", async () => {
  const restore = (version: number) => made.call("user", "POST", `${versions}/${version}/restore`, {});
  const { version } = await newest();
  const before = await restore(0);
  expect(before.json()).toMatchObject({ version: version + 1 });
  expect((await made.call("viewer", "GET", path)).json()).toMatchObject({ items: [] });
  expect(await newest()).toMatchObject({ restored: 0, added: 0, changed: 0 });
  await restore(version);
  expect((await made.call("viewer", "GET", `${versions}/0`)).statusCode).toBe(400);
});

test("people who change mappings at once make versions one after the other", async () => {
  const { version } = await newest();
  await Promise.all(["a", "b", "c", "d", "e", "f"].map((value) => create(value, { fieldName: "crowd" })));
  expect((await newest()).version).toBe(version + 6);
});

test("whoever rolls back is told of a mapping that somebody changed since it was shown, and overwrites nothing", async () => {
  const { id } = await create("shown", { fieldName: "version" });
  const { version: wanted } = await newest();
  await made.call("user", "PATCH", `${path}/${id}`, { targetValue: "Green" });
  const { currentVersion: seen } = (await made.call("user", "GET", `${versions}/${wanted}`)).json();
  await made.call("user", "PATCH", `${path}/${id}`, { targetValue: "Red" });
  const restore = (version: number) => made.call("user", "POST", `${versions}/${wanted}/restore`, {}, { "if-match": `"${version}"` });
  expect((await restore(seen)).json()).toMatchObject({ status: 412, code: "version-changed" });
  expect(await targetValueOf(id)).toBe("Red");
  expect((await restore(seen + 1)).json()).toEqual({ version: seen + 2, changes: 1 });
});

test("a version of a database that was restored elsewhere, where its transaction's id comes again, is left as it is", async () => {
  const { id } = await create("restored", { fieldName: "version" });
  const { version } = await newest();
  const owner = await made.pool("owner", 1).connect();
  await owner.query("begin");
  await owner.query("update hub.mapping_version set xid = pg_current_xact_id() where version = $1", [version]);
  await owner.query("update hub.mapping set target_value = 'Green' where id = $1", [id]);
  await owner.query("commit");
  owner.release();
  expect(await newest()).toMatchObject({ version: version + 1, added: 0, changed: 1 });
});
