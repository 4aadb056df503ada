import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, waitingForLocks, type TestAccounts, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const base = "/api/v1/tenants/acme/saved-views";
type View = { id: number; name: string; isShared: boolean; isOwn: boolean; isDefault: boolean };

const create = (account: keyof TestAccounts, body: object) =>
  made.call(account, "POST", base, { list: "/queue", query: "state=dead&search=lamp", ...body });
const made201 = async (account: keyof TestAccounts, body: object) => (await create(account, body)).json<View>();
const update = (account: keyof TestAccounts, { id }: View, body: object) => made.call(account, "PATCH", `${base}/${id}`, body);
const seenBy = async (account: keyof TestAccounts) => (await made.call(account, "GET", base)).json<{ items: View[] }>().items;
const namesOf = async (account: keyof TestAccounts) => (await seenBy(account)).map(({ name }) => name);

const preferred = async (account: keyof TestAccounts) => (await seenBy(account)).filter((view) => view.isDefault).map(({ name }) => name);

test("a viewer saves, changes and removes views of the own, which nobody else sees", async () => {
  const view = await made201("viewer", { name: "Mine" });
  expect(view).toMatchObject({ list: "/queue", query: "state=dead&search=lamp", isShared: false, isOwn: true, ownerName: "Vera" });
  expect(await namesOf("viewer")).toEqual(["Mine"]);
  expect(await namesOf("user")).toEqual([]);
  expect((await update("user", view, { name: "Stolen" })).statusCode).toBe(404);
  expect((await update("viewer", view, { name: "Still mine", query: "" })).json()).toMatchObject({ name: "Still mine", query: "" });
  expect((await made.call("user", "DELETE", `${base}/${view.id}`)).statusCode).toBe(404);
  expect((await made.call("viewer", "DELETE", `${base}/${view.id}`)).statusCode).toBe(204);
  expect(await namesOf("viewer")).toEqual([]);
});

test("shared views are for all to see and for operators to change", async () => {
  expect((await create("viewer", { name: "For all", isShared: true })).statusCode).toBe(403);
  const own = await made201("viewer", { name: "Own" });
  expect((await update("viewer", own, { isShared: true })).statusCode).toBe(403);
  const view = await made201("user", { name: "For all", isShared: true });
  expect((await seenBy("viewer")).find(({ id }) => id === view.id)).toMatchObject({ isShared: true, isOwn: false });
  expect((await update("viewer", view, { name: "x" })).statusCode).toBe(403);
  expect((await made.call("viewer", "DELETE", `${base}/${view.id}`)).statusCode).toBe(403);
  expect((await update("admin", view, { name: "For everybody" })).json()).toMatchObject({ name: "For everybody", isShared: true });
  expect((await made.call("admin", "DELETE", `${base}/${view.id}`)).statusCode).toBe(204);
});

test("views of lists about all tenants are the installation's, for its admins alone, and in no tenant", async () => {
  const path = "/api/v1/installation/saved-views";
  const refusals = { list: "/audit-log", name: "Refusals", query: "outcome=denied", isShared: true };
  expect((await made.call("user", "GET", path)).statusCode).toBe(403);
  expect((await made.call("user", "POST", path, refusals)).statusCode).toBe(403);
  const view = (await made.call("admin", "POST", path, refusals)).json<View>();
  expect((await made.call("admin", "PATCH", `${path}/${view.id}`, { name: "Refused", isDefault: true })).json()).toMatchObject({
    name: "Refused",
    isDefault: true,
  });
  expect((await made.call("admin", "GET", path)).json<{ items: View[] }>().items.map(({ name }) => name)).toEqual(["Refused"]);
  expect(await namesOf("admin")).not.toContain("Refused");
  const audited = await made.call("admin", "GET", "/api/v1/audit-events?action=updateInstallationSavedView");
  expect(audited.json<{ items: object[] }>().items).toMatchObject([
    { tenantCode: null, targetKind: "saved-views", targetId: String(view.id) },
  ]);
  expect((await made.call("admin", "DELETE", `${base}/${view.id}`)).statusCode).toBe(404);
  expect((await made.call("admin", "DELETE", `${path}/${view.id}`)).statusCode).toBe(204);
});

test("a shared view that is taken back belongs to who took it back", async () => {
  const view = await made201("user", { name: "Ours", isShared: true });
  expect((await update("admin", view, { isShared: false })).json()).toMatchObject({ isShared: false, isOwn: true });
  expect(await namesOf("user")).not.toContain("Ours");
});

test("each person opens a list with one view at most, whoever owns it", async () => {
  const shared = await made201("user", { name: "Shared", isShared: true });
  const own = await made201("viewer", { name: "Preferred" });
  expect((await update("viewer", shared, { isDefault: true })).json()).toMatchObject({ isDefault: true });
  expect(await preferred("viewer")).toEqual(["Shared"]);
  expect(await preferred("user")).toEqual([]);
  await update("viewer", own, { isDefault: true });
  expect(await preferred("viewer")).toEqual(["Preferred"]);
  await update("viewer", own, { isDefault: false });
  expect(await preferred("viewer")).toEqual([]);
});

test("of two operators who change a shared view the second is refused, sees who was faster, and overwrites nothing", async () => {
  const view = await made201("user", { name: "Late orders", isShared: true });
  const change = (account: keyof TestAccounts, method: "PATCH" | "DELETE", version: number, body?: object) =>
    made.call(account, method, `${base}/${view.id}`, body, { "if-match": `"${version}"` });
  const answers = await Promise.all([
    change("admin", "PATCH", 1, { query: "state=dead" }),
    change("user", "PATCH", 1, { query: "state=ready" }),
  ]);
  const winner = answers.find(({ statusCode }) => statusCode === 200)?.json<View & { query: string; changedByName: string }>();
  const refused = answers.find(({ statusCode }) => statusCode === 412)?.json<{ code: string; detail: string; current: object }>();
  expect(winner).toMatchObject({ version: 2 });
  expect(refused).toMatchObject({ code: "version-changed", current: { query: winner?.query, changedByName: winner?.changedByName } });
  expect(refused?.detail).toContain(winner?.changedByName);
  expect((await change("user", "DELETE", 1)).statusCode).toBe(412);
  expect((await change("user", "DELETE", 2)).statusCode).toBe(204);
});

test("what is no view is refused", async () => {
  const answers = await Promise.all([
    create("user", { name: " " }),
    create("user", { name: "x", list: "/signin" }),
    create("user", { name: "x", query: "?state=dead" }),
    create("user", { name: "x", query: "a".repeat(4001) }),
  ]);
  expect(answers.map((answer) => answer.statusCode)).toEqual([400, 400, 400, 400]);
});

test("a person has at most 200 views, however many are saved at once", async () => {
  const owner = made.pool("owner", 2);
  await owner.query(
    `insert into hub.saved_view (tenant_id, user_id, list, name, query) select 1002, 4, '/queue', n, '' from generate_series(1, 199) n`,
  );
  const save = () => made.call("stranger", "POST", "/api/v1/tenants/other/saved-views", { list: "/queue", name: "Last", query: "" });
  const other = await owner.connect();
  try {
    // Each that is saved waits for this before its end.
    await other.query("begin; lock table hub.audit_event in share mode");
    const saved = Promise.all([save(), save(), save()]);
    await expect.poll(() => waitingForLocks(owner)).toBe(3);
    await other.query("rollback");
    expect((await saved).filter(({ statusCode }) => statusCode === 201)).toHaveLength(1);
  } finally {
    other.release(true);
  }
});

test("nobody takes a shared view back who has 200 already", async () => {
  const shared = await made201("user", { name: "Shared by another", isShared: true });
  await made
    .pool("owner", 2)
    .query(
      `insert into hub.saved_view (tenant_id, user_id, list, name, query) select 1001, 1, '/queue', n, '' from generate_series(1, 200) n`,
    );
  expect((await update("admin", shared, { isShared: false })).json()).toMatchObject({ status: 409, reason: "views-max" });
  expect((await update("admin", shared, { name: "Still shared" })).statusCode).toBe(200);
  expect((await update("user", shared, { isShared: false })).json()).toMatchObject({ isShared: false, isOwn: true });
});
