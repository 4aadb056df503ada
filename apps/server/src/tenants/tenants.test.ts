import pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const codes = async (account: "admin" | "user" | "stranger") =>
  (await made.call(account, "GET", "/api/v1/tenants")).json<{ items: { code: string }[] }>().items.map((tenant) => tenant.code);

test("a person sees the tenants granted, an admin all", async () => {
  expect(await codes("user")).toEqual(["acme"]);
  expect(await codes("stranger")).toEqual(["other"]);
  expect(await codes("admin")).toEqual(expect.arrayContaining(["acme", "other"]));
});

test("tenants are listed with their health where that is asked for, and many leave connections to others", async () => {
  const owner = new pg.Client({ connectionString: made.ownerUrl });
  await owner.connect();
  await owner.query("insert into hub.tenant (code, name) select 'many-' || i, 'Many' from generate_series(1, 20) i");
  const { readOnly } = made.deps.pools;
  await owner.query(
    `insert into hub.alert (tenant_id, rule_id, kind, object, state, value, since, fired_at, recovered_at)
     select tenant_id, id, kind, state, state, 1, now(), now(), case state when 'recovered' then now() end
     from hub.alert_rule, unnest(array['firing', 'acknowledged', 'recovered']) state
     where kind = 'job-failed' and tenant_id = (select id from hub.tenant where code = 'acme')`,
  );
  let most = 0;
  const note = () => void (most = Math.max(most, readOnly.totalCount - readOnly.idleCount + readOnly.waitingCount));
  readOnly.on("acquire", note);
  const list = async (query = "") =>
    (await made.call("admin", "GET", `/api/v1/tenants${query}`)).json<{ items: { code: string; health?: object }[] }>().items;
  const health = { waiting: 0, dead: 0, oldestWaitingAt: null, openCircuits: 0, alerts: 0 };
  const listed = await list("?health=true");
  expect(listed).toHaveLength(22);
  for (const tenant of listed) expect(tenant.health).toEqual({ ...health, alerts: tenant.code === "acme" ? 1 : 0 });
  expect(most).toBeLessThanOrEqual(3);
  expect((await list()).every((tenant) => !("health" in tenant))).toBe(true);
  readOnly.off("acquire", note);
  await owner.query("delete from hub.tenant where code like 'many-%'");
  await owner.end();
});

test("a new tenant is there at once, empty and healthy", async () => {
  const created = await made.call("admin", "POST", "/api/v1/tenants", { code: "new-one", name: "New One" });
  expect(created.statusCode).toBe(201);
  expect((await made.call("admin", "GET", "/api/v1/tenants/new-one")).json()).toMatchObject({
    code: "new-one",
    isActive: true,
    health: { waiting: 0, dead: 0, oldestWaitingAt: null, openCircuits: 0, alerts: 0 },
  });
});

test("a code can be given once", async () => {
  const again = await made.call("admin", "POST", "/api/v1/tenants", { code: "acme", name: "Acme again" });
  expect(again.json()).toMatchObject({ status: 409, code: "already-exists" });
});

test.each(["", "Acme", "-acme", "a".repeat(64), "a b"])("%j is no code for a tenant", async (code) => {
  expect((await made.call("admin", "POST", "/api/v1/tenants", { code, name: "Name" })).statusCode).toBe(400);
});

test("an edit of an outdated version is refused and changes nothing", async () => {
  const { version } = (await made.call("admin", "GET", "/api/v1/tenants/acme")).json<{ version: number }>();
  const first = await made.call("admin", "PATCH", "/api/v1/tenants/acme", { name: "Acme Ltd" }, { "if-match": `"${version}"` });
  expect(first.headers.etag).toBe(`"${version + 1}"`);
  const second = await made.call("admin", "PATCH", "/api/v1/tenants/acme", { name: "Acme GmbH" }, { "if-match": `"${version}"` });
  expect(second.json()).toMatchObject({ status: 412, code: "version-changed" });
  expect((await made.call("admin", "GET", "/api/v1/tenants/acme")).json()).toMatchObject({ name: "Acme Ltd" });
});

test("a version is named in quotes, also among others and as a proxy weakens it; anything else is said to be no version", async () => {
  const { version } = (await made.call("admin", "GET", "/api/v1/tenants/acme")).json<{ version: number }>();
  const rename = (tag: string) => made.call("admin", "PATCH", "/api/v1/tenants/acme", { name: "Acme Ltd" }, { "if-match": tag });
  for (const tag of [String(version), `W/${version}`, `"${version}`, "", `"${version}" "7"`])
    expect((await rename(tag)).json()).toMatchObject({ status: 400, code: "bad-request" });
  expect((await rename(`W/"${version}"`)).statusCode).toBe(200);
  expect((await rename(`"0", "${version + 1}"`)).statusCode).toBe(200);
  expect((await rename('"0", "7000"')).statusCode).toBe(412);
  expect((await rename("*")).statusCode).toBe(200);
});

test("a deactivated tenant is gone for its people; an admin can bring it back", async () => {
  await made.call("admin", "PATCH", "/api/v1/tenants/other", { isActive: false });
  expect((await made.call("stranger", "GET", "/api/v1/tenants/other")).statusCode).toBe(404);
  expect(await codes("stranger")).toEqual([]);
  await made.call("admin", "PATCH", "/api/v1/tenants/other", { isActive: true });
  expect((await made.call("stranger", "GET", "/api/v1/tenants/other")).statusCode).toBe(200);
});

test("a tenant is marked with a colour, which nothing but a colour can be", async () => {
  const mark = (colour: unknown) => made.call("admin", "PATCH", "/api/v1/tenants/acme", { colour });
  const colours = async () => (await made.call("user", "GET", "/api/v1/tenants")).json<{ items: { colour: string }[] }>().items;
  expect((await mark("#0a8fdc")).json()).toMatchObject({ colour: "#0a8fdc", isActive: true });
  expect(await colours()).toMatchObject([{ code: "acme", colour: "#0a8fdc" }]);
  for (const wrong of ["red", "#FFF", "#0a8fdc;background:url(x)", 7]) expect((await mark(wrong)).statusCode).toBe(400);
  await made.call("admin", "PATCH", "/api/v1/tenants/acme", { name: "Acme" });
  expect(await colours()).toMatchObject([{ colour: "#0a8fdc" }]);
  await mark(null);
  expect(await colours()).toMatchObject([{ colour: null }]);
});
