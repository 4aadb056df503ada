import { afterAll, beforeAll, expect, test } from "vitest";
import { withoutSecrets } from "./api/audit-event.ts";
import { routeOf, stageChanges, type Changes } from "./testing/changes.ts";
import { testPassword } from "./testing/test-app.ts";

/**
 * Every route that changes something is called here, as testing/change-calls.ts lists them, and writes exactly one audit event. A route that is
 * not listed fails the run; one that changes nothing says `changes: false` in its declaration.
 */

let changes: Changes;
let made: Changes["made"];
let owner: Changes["owner"];
beforeAll(async () => {
  changes = await stageChanges();
  ({ made, owner } = changes);
});
afterAll(() => made.close());

const eventsSql = `
  select tenant_id as "tenantId", outcome, action, code, target_kind as "targetKind", target_id as "targetId", user_id as "userId",
    actor_name as "actorName", address, reason, before, after
  from hub.audit_event where request_id = $1`;

type EventRow = Record<string, unknown> & { tenantId: number | null; outcome: string; action: string };

async function eventsOf(answer: { headers: Record<string, unknown> }): Promise<EventRow[]> {
  return (await owner.query<EventRow>(eventsSql, [answer.headers["x-request-id"]])).rows;
}

test("every route that changes something is listed here", () => {
  const changing = made.app.registeredRoutes.filter(({ changes }) => changes).map(({ method, path }) => `${method} ${path}`);
  const listed = Object.keys(changes.calls).map((name) => `${routeOf(name).method} ${routeOf(name).path}`);
  expect(changing.toSorted()).toEqual(listed.toSorted());
});

test("each change writes exactly one event, and its refusal one more", async () => {
  const { calls, ask, keep, prepare } = changes;
  for (const [name, call] of Object.entries(calls)) {
    await prepare(name);
    const answer = await ask(name, "admin", call());
    // With the name and the body, so that a failure says which route it was.
    expect({ name, body: answer.body, isDone: answer.statusCode < 300 }).toMatchObject({ name, isDone: true });
    await keep(name, answer);
    // Who follows an invitation is nobody yet.
    const actor = routeOf(name).permission === "public" ? { userId: null, actorName: null } : { userId: 1, actorName: "Ada" };
    const done = { outcome: "done", action: name, code: null, address: "127.0.0.1", ...actor };
    const events = await eventsOf(answer);
    expect(events).toMatchObject([done]);
    // Which one it is about, where the path says so.
    const isNamed = routeOf(name).path.replace(":tenantCode", "").includes(":");
    expect({ name, isTold: !isNamed || events[0]?.["targetId"] !== null }).toEqual({ name, isTold: true });
    if (!routeOf(name).path.includes(":tenantCode")) continue;
    expect(events[0]?.tenantId).not.toBeNull();
    const refused = await eventsOf(await ask(name, "stranger", call()));
    expect(refused).toMatchObject([{ tenantId: null, outcome: "denied", action: name, code: "not-found", actorName: "Stan" }]);
    if (routeOf(name).permission === "read") continue;
    const forbidden = await eventsOf(await ask(name, "viewer", { ...call(), tenant: "acme" }));
    expect(forbidden).toMatchObject([{ tenantId: 1001, outcome: "denied", action: name, code: "permission-missing", actorName: "Vera" }]);
  }
});

test("an event tells before and after, and no secret", async () => {
  const { rows } = await owner.query<EventRow>("select * from hub.audit_event order by id");
  const text = JSON.stringify(rows);
  const { answers } = changes;
  expect(text).not.toContain("audit-canary");
  expect(text).not.toContain(answers.createApiKey?.key);
  expect(text).not.toContain("whsec_");
  expect(text).not.toContain(String(answers.inviteUserAgain?.link).split("#")[1]);
  expect(text).not.toContain(testPassword);
  expect(rows.find(({ action }) => action === "updateUser")).toMatchObject({ before: { role: "user" }, after: { role: "viewer" } });
  const updated = rows.find(({ action }) => action === "updateIntegrationPoint");
  expect(updated).toMatchObject({ before: { name: "Audited" }, after: { name: "Renamed", credentials: "•••" } });
  expect(rows.find(({ action }) => action === "replaceMessage")).toMatchObject({ reason: "wrong size", target_kind: "messages" });
  expect(rows.find(({ action }) => action === "startJob")).toMatchObject({ after: { kind: "remove", selection: { filter: {} } } });
});

test("an event of a change that answers nothing tells by name what it is about", async () => {
  const { rows } = await owner.query<EventRow>(
    "select action, target_kind, target_id, before, after from hub.audit_event where outcome = 'done'",
  );
  const eventOf = (name: string) => rows.find(({ action }) => action === name);
  expect(eventOf("testAlertChannel")).toMatchObject({ target_kind: "alert-channels", after: { name: "Chat", kind: "webhook" } });
  expect(eventOf("testInstallationAlertChannel")).toMatchObject({ target_kind: "alert-channels", after: { name: "Renamed" } });
  expect(eventOf("endAnnouncement")).toMatchObject({ target_kind: "announcements", before: { text: "Tonight at ten" } });
  const person = { target_kind: "users", target_id: "2", before: { email: "user@example.com" } };
  expect(eventOf("revokeUserSession")).toMatchObject({ ...person, before: { sessionId: "00000000-0000-4000-8000-000000000001" } });
  expect(eventOf("revokeUserSessions")).toMatchObject(person);
});

test("what fails, is only asked or repeated by its Idempotency-Key writes none", async () => {
  const path = "/api/v1/tenants/acme/subtenants";
  const body = { code: "twice", name: "Twice" };
  const headers = { "idempotency-key": "twice" };
  expect(await eventsOf(await made.call("admin", "POST", path, body, headers))).toHaveLength(1);
  const again = await made.call("admin", "POST", path, body, headers);
  expect(again.headers["idempotent-replayed"]).toBe("true");
  expect(await eventsOf(again)).toEqual([]);
  expect(await eventsOf(await made.call("admin", "POST", path, body))).toEqual([]);
  expect(await eventsOf(await made.call("admin", "GET", path))).toEqual([]);
  const csv = "integrationPoint,entityType,key,externalId\nqueues,item,a-2,8";
  expect(await eventsOf(await changes.ask("importExternalItems", "admin", { body: { csv, isDryRun: true } }))).toEqual([]);
});

test("who comes second, and finds nothing left to change, writes none", async () => {
  const { ask, answers, calls } = changes;
  const unknown = { body: { ids: ["1"] } };
  const nothingToDo = {
    requeueDeadLetters: unknown,
    removeDeadLetters: unknown,
    removeMessages: unknown,
    restoreMessages: unknown,
    retryNow: unknown,
    removeExternalMessages: unknown,
    restoreExternalMessages: unknown,
    removeExternalItems: { body: { items: [{ integrationPointId: 1, entityType: "item", key: "never-made" }] } },
    restoreExternalItems: { body: { removedIds: ["1"] } },
    revokeApiKey: calls.revokeApiKey?.() ?? {},
    undoJob: { params: { jobId: Number(answers["undoJob"]?.["undoOf"]) } },
  };
  const told: string[] = [];
  for (const [name, call] of Object.entries(nothingToDo)) {
    const answer = await ask(name, "admin", call);
    expect({ name, body: answer.body, isDone: answer.statusCode < 300 }).toMatchObject({ name, isDone: true });
    if ((await eventsOf(answer)).length > 0) told.push(name);
  }
  expect(told).toEqual([]);
});

test("wrong tokens and passwords are kept, but a flood of them is not", async () => {
  const before = await owner.query("select from hub.audit_event where code in ('token-invalid', 'credentials-invalid')");
  for (let count = 0; count < 25; count += 1) {
    const answer = await made.app.inject({
      url: "/api/v1/tenants",
      headers: { authorization: "Bearer cdk_wrong" },
      remoteAddress: "192.0.2.7",
    });
    expect(answer.statusCode).toBe(401);
  }
  const after = await owner.query("select from hub.audit_event where code in ('token-invalid', 'credentials-invalid')");
  const kept = Number(after.rowCount) - Number(before.rowCount);
  expect(kept).toBeGreaterThanOrEqual(1);
  expect(kept).toBeLessThan(25);
});

test("the app role adds events of its own tenant and can neither change nor remove one", async () => {
  const app = made.pool("app", 1);
  const client = await app.connect();
  await client.query("begin; set local crossdock.tenant_id = '1002'");
  expect((await client.query("select from hub.audit_event where tenant_id = 1001")).rowCount).toBe(0);
  for (const sql of [
    "update hub.audit_event set action = 'other'",
    "delete from hub.audit_event",
    "truncate hub.audit_event",
    "insert into hub.audit_event (tenant_id, outcome, action, request_id) values (1001, 'done', 'forged', gen_random_uuid())",
    "insert into hub.audit_event (tenant_id, outcome, action, request_id) values (null, 'done', 'forged', gen_random_uuid())",
  ]) {
    await client.query("savepoint attempt");
    await expect(client.query(sql)).rejects.toMatchObject({ code: "42501" });
    await client.query("rollback to attempt");
  }
  await client.query("rollback");
  client.release();
});

test("a value in which an escaped NUL is spelled out is told as it was written", async () => {
  const answer = await made.call("admin", "PATCH", "/api/v1/account", { name: "C:\\u0000" });
  expect(answer.statusCode).toBe(200);
  const { rows } = await owner.query<{ name: string }>("select after->>'name' as name from hub.audit_event where request_id = $1", [
    answer.headers["x-request-id"],
  ]);
  expect(rows).toEqual([{ name: "C:\\u0000" }]);
});

test("of keys, signed tokens, users of addresses and what lies too deep an event tells nothing", () => {
  const deep = JSON.parse(`${'{"a":'.repeat(9)}"bottom"${"}".repeat(9)}`);
  const told = withoutSecrets({
    text: "with cdk_0123456789 and eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln",
    url: "see https://ada:pw@shop.example/x",
    deep,
  });
  expect(told).toMatchObject({ text: "with ••• and •••", url: "see https://•••@shop.example/x" });
  expect(JSON.stringify(told)).not.toContain("bottom");
});

test("a secret at the end of what is kept of a text shows no part of it", () => {
  const address = "https://ada:0123456789@shop.example";
  expect(withoutSecrets(`${"a".repeat(1_980)} ${address}`)).toBe(`${"a".repeat(1_980)} https://•••@shop.ex`);
});

test("a text that is cut in the middle of a character is kept, as far as it goes", async () => {
  const name = `${"a".repeat(1_999)}👩`;
  const { rows } = await owner.query<{ kept: object }>("select $1::jsonb as kept", [JSON.stringify(withoutSecrets({ name }))]);
  expect(rows[0]?.kept).toEqual({ name: `${"a".repeat(1_999)}\ufffd` });
});
