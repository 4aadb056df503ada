import { deflateSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, testPassword, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { rewritePng } from "./png.ts";
import { pngOf } from "./testing.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

type Listed = {
  id: number;
  email: string;
  role: string;
  state: string;
  tenants: string[];
  lastSeenAt: string | null;
  sessions: number;
  version: number;
};

const list = async (query = ""): Promise<Listed[]> =>
  (await made.call("admin", "GET", `/api/v1/users${query}`)).json<{ items: Listed[] }>().items;
const find = async (email: string): Promise<Listed | undefined> => (await list("?limit=500")).find((user) => user.email === email);
const change = (id: number, body: object) => made.call("admin", "PATCH", `/api/v1/users/${id}`, body);

async function invite(email: string, more: object = {}): Promise<{ id: number; token: string }> {
  const answer = await made.call("admin", "POST", "/api/v1/users", { email, tenants: ["acme"], role: "user", ...more });
  expect(answer.statusCode).toBe(201);
  const { user, link } = answer.json<{ user: Listed; link: string }>();
  return { id: user.id, token: link.split("#")[1] ?? "" };
}

let visitors = 0;

/** Each from an address of its own: as many as one may follow a minute is limited. */
const follow = (url: string, payload: object) =>
  made.app.inject({ method: "POST", url, payload, remoteAddress: `10.1.${(visitors += 1)}.1` });
const accept = (token: string, password = testPassword) => follow("/api/v1/invitation", { token, name: "Nora", password });
const read = (token: string) => follow("/api/v1/invitation/person", { token });

/** A fresh session of a person, each from an address of its own: signing in is limited by address. */
async function enter(email: string, password = testPassword): Promise<string> {
  visitors += 1;
  const payload = { email, password, remember: false };
  const remoteAddress = `10.0.${visitors}.1`;
  const answer = await made.app.inject({ method: "POST", url: "/api/v1/session", remoteAddress, payload });
  return answer.json<{ access_token: string }>().access_token;
}

/** A call by a session's token. */
const as = (token: string, method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE", url: string, payload?: object) =>
  made.app.inject({ method, url, headers: { authorization: `Bearer ${token}` }, ...(payload && { payload }) });

async function join(email: string): Promise<{ id: number; token: string }> {
  const invited = await invite(email);
  await accept(invited.token);
  return { id: invited.id, token: await enter(email) };
}

test("people are listed by email with their roles, grants and when they were here last, found by name and in pages", async () => {
  const page = await made.call("admin", "GET", "/api/v1/users?limit=2");
  const { items, nextCursor } = page.json<{ items: Listed[]; nextCursor: string }>();
  expect(items.map(({ email }) => email)).toEqual(["admin@example.com", "stranger@example.com"]);
  const next = await list(`?limit=2&cursor=${nextCursor}`);
  expect(next[0]).toMatchObject({ email: "user@example.com", role: "user", state: "active", tenants: ["acme"], sessions: 1 });
  expect(Date.now() - Date.parse(next[0]?.lastSeenAt ?? "")).toBeLessThan(600_000);
  expect((await list("?search=vERA")).map(({ email }) => email)).toEqual(["viewer@example.com"]);
  expect((await list("?role=admin")).map(({ email }) => email)).toEqual(["admin@example.com"]);
});

test("one person is read as the list has them, with the version that a change asks for", async () => {
  const listed = await find("user@example.com");
  const read = await made.call("admin", "GET", `/api/v1/users/${listed?.id}`);
  expect(read.json()).toEqual(listed);
  expect(read.headers["etag"]).toBe(`"${listed?.version}"`);
  expect((await made.call("admin", "GET", "/api/v1/users/424242")).statusCode).toBe(404);
});

test("an invited person follows the link once, chooses a password and has the role and grants of the invitation", async () => {
  const { token } = await invite("Nora@Example.com", { name: "Nora N" });
  expect((await read("made-up")).statusCode).toBe(404);
  expect((await read(token)).json()).toEqual({ email: "nora@example.com", name: "Nora N", locale: "en" });
  expect(await find("nora@example.com")).toMatchObject({ state: "invited", tenants: ["acme"] });
  expect((await accept("made-up")).statusCode).toBe(404);
  expect((await accept(token, "short")).statusCode).toBe(400);
  expect((await accept(token)).json()).toEqual({ email: "nora@example.com" });
  expect((await accept(token)).statusCode).toBe(404);
  expect((await read(token)).statusCode).toBe(404);
  const session = await enter("nora@example.com");
  expect((await as(session, "GET", "/api/v1/tenants/acme")).statusCode).toBe(200);
  expect((await as(session, "GET", "/api/v1/tenants/other")).statusCode).toBe(404);
  expect(await find("nora@example.com")).toMatchObject({ state: "active" });
});

test("the link of an invited person who came in by another provider gives nobody a password to his account", async () => {
  const { id, token } = await invite("provided@example.com");
  await made
    .pool("owner", 1)
    .query("insert into hub.identity (issuer, subject, user_id) values ('https://login.example', 'provided', $1)", [id]);
  expect((await read(token)).statusCode).toBe(404);
  expect((await accept(token)).statusCode).toBe(404);
  expect(await find("provided@example.com")).toMatchObject({ state: "active" });
});

test("a second invitation ends the first one's link, and one that is over is refused", async () => {
  const { id, token } = await invite("late@example.com");
  const again = await made.call("admin", "POST", `/api/v1/users/${id}/invitation`);
  const newer = again.json<{ link: string }>().link.split("#")[1] ?? "";
  expect((await accept(token)).statusCode).toBe(404);
  await made.pool("owner", 1).query("update hub.invitation set expires_at = now() - interval '1 second' where user_id = $1", [id]);
  expect((await accept(newer)).statusCode).toBe(404);
});

type MailRow = { recipient: string; kind: string; locale: string; subject: string; text: string | null };
const mailsTo = async (email: string): Promise<MailRow[]> =>
  (await made.call("admin", "GET", "/api/v1/mails?limit=500"))
    .json<{ items: MailRow[] }>()
    .items.filter(({ recipient }) => recipient === email);

test.each([
  ["fr", "Vous êtes invité", "7 jours"],
  ["ar", "دعوة", "7 أيام"],
])("an invitation and each further link are mailed, in the invited person's language: %s", async (locale, subject, days) => {
  const email = `guest-${locale}@example.com`;
  const { id, token } = await invite(email, { locale });
  const headers = { origin: "https://hub.example.com" };
  const again = await made.call("admin", "POST", `/api/v1/users/${id}/invitation`, undefined, headers);
  expect(again.json()).toMatchObject({ isMailed: false });
  const newer = again.json<{ link: string }>().link.split("#")[1] ?? "";
  const mails = await mailsTo(email);
  expect(mails).toHaveLength(2);
  for (const mail of mails) expect(mail).toMatchObject({ kind: "invitation", locale, subject: expect.stringContaining(subject) });
  expect(mails[1]?.text).toContain(`/invitation#${token}`);
  // Without CROSSDOCK_PUBLIC_URL the address that the admin has open is named.
  expect(mails[0]?.text).toContain(`https://hub.example.com/invitation#${newer}`);
  expect(mails[0]?.text).toContain(days);
  expect((await accept(newer)).statusCode).toBe(200);
});

test("an invitation that is taken back leaves nothing, and its address can be invited anew", async () => {
  const { id, token } = await invite("wrong@example.com");
  const revoke = () => made.call("admin", "DELETE", `/api/v1/users/${id}/invitation`);
  expect((await revoke()).statusCode).toBe(204);
  expect((await revoke()).statusCode).toBe(404);
  expect((await accept(token)).statusCode).toBe(404);
  expect(await find("wrong@example.com")).toBeUndefined();
  await accept((await invite("wrong@example.com")).token);
  const { id: joined } = (await find("wrong@example.com")) ?? { id: 0 };
  expect((await made.call("admin", "DELETE", `/api/v1/users/${joined}/invitation`)).json()).toMatchObject({
    status: 409,
    code: "conflict",
  });
  expect(await find("wrong@example.com")).toMatchObject({ state: "active" });
});

test("a person disabled before following the link can be invited again once enabled", async () => {
  const { id, token } = await invite("paused@example.com");
  await change(id, { isActive: false });
  expect((await made.call("admin", "POST", `/api/v1/users/${id}/invitation`)).statusCode).toBe(409);
  await change(id, { isActive: true });
  expect((await accept(token)).statusCode).toBe(404);
  const again = await made.call("admin", "POST", `/api/v1/users/${id}/invitation`);
  expect((await accept(again.json<{ link: string }>().link.split("#")[1] ?? "")).statusCode).toBe(200);
});

/** What is answered to a request that waits for another one's change of a person, which is then committed. */
async function answerAfter(sql: string, id: number, ask: () => ReturnType<TestApp["call"]>): ReturnType<TestApp["call"]> {
  const owner = made.pool("owner", 2);
  const other = await owner.connect();
  try {
    await other.query("begin");
    await other.query(sql, [id]);
    const asked = ask();
    await expect.poll(() => waitingForLocks(owner)).toBe(1);
    await other.query("commit");
    return await asked;
  } finally {
    other.release(true);
  }
}

const takeBackSql = `delete from hub."user" where id = $1`;

test.each([
  ["whose invitation is taken back", takeBackSql, 404],
  ["who is disabled", `update hub."user" set is_active = false where id = $1`, 409],
] as const)("somebody %s meanwhile is not invited again", async (what, sql, status) => {
  const { id } = await invite(`${what.replaceAll(" ", "-")}@example.com`);
  const again = await answerAfter(sql, id, () => made.call("admin", "POST", `/api/v1/users/${id}/invitation`));
  expect(again.statusCode).toBe(status);
});

test("somebody whose invitation is taken back meanwhile is given nothing to work on", async () => {
  const { id } = await invite("gone@example.com");
  const rule = { kind: "queue-age", threshold: 10, ownerId: id };
  const given = await answerAfter(takeBackSql, id, () => made.call("admin", "POST", "/api/v1/tenants/acme/alert-rules", rule));
  expect(given.statusCode).toBe(404);
});

test("an address is invited once, and to tenants that exist; a refused invitation leaves nobody behind", async () => {
  const twice = await made.call("admin", "POST", "/api/v1/users", { email: "USER@example.com" });
  expect(twice.json()).toMatchObject({ status: 409, code: "already-exists" });
  const nowhere = await made.call("admin", "POST", "/api/v1/users", { email: "lost@example.com", tenants: ["nowhere"] });
  expect(nowhere.statusCode).toBe(400);
  expect(await find("lost@example.com")).toBeUndefined();
});

test("a changed role and a taken grant hold from the next request on", async () => {
  const { id, token } = await join("mover@example.com");
  const pause = () => as(token, "POST", "/api/v1/tenants/acme/saved-views", { list: "/queue", name: "x", query: "", isShared: true });
  expect((await pause()).statusCode).toBe(201);
  await change(id, { role: "viewer" });
  expect((await pause()).statusCode).toBe(403);
  expect((await change(id, { tenants: ["other"] })).json()).toMatchObject({ tenants: ["other"] });
  expect((await as(token, "GET", "/api/v1/tenants/acme")).statusCode).toBe(404);
  expect((await as(token, "GET", "/api/v1/tenants/other")).statusCode).toBe(200);
});

test("admins who grant and take tenants at once undo nothing of each other's", async () => {
  const { id } = await join("shared@example.com");
  expect((await find("shared@example.com"))?.tenants).toEqual(["acme"]);
  const answers = await Promise.all([change(id, { grant: ["other"] }), change(id, { withdraw: ["acme"] })]);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  expect((await find("shared@example.com"))?.tenants).toEqual(["other"]);
  expect((await change(id, { grant: ["nowhere"] })).statusCode).toBe(400);
});

test("a person whom another admin changed meanwhile is not overwritten, and what people change of themselves is no such change", async () => {
  const { id, token } = await join("contested@example.com");
  const version = (await find("contested@example.com"))?.version ?? 0;
  const edit = (body: object) => made.call("admin", "PATCH", `/api/v1/users/${id}`, body, { "if-match": `"${version}"` });
  expect((await as(token, "PATCH", "/api/v1/account", { name: "Cleo" })).statusCode).toBe(200);
  const answers = await Promise.all([edit({ tenants: ["acme", "other"] }), edit({ tenants: [] })]);
  const [taken, refused] = answers.toSorted((a, b) => a.statusCode - b.statusCode);
  expect(taken?.headers.etag).toBe(`"${version + 1}"`);
  expect(refused?.json()).toMatchObject({ status: 412, code: "version-changed" });
  const { tenants } = taken?.json<Listed>() ?? {};
  expect(await find("contested@example.com")).toMatchObject({ name: "Cleo", tenants, version: version + 1 });
  // Without If-Match the last writer wins.
  expect((await change(id, { role: "viewer" })).json()).toMatchObject({ role: "viewer", version: version + 2 });
});

test("whoever is disabled is out at once and comes in again only when enabled", async () => {
  const { id, token } = await join("leaver@example.com");
  expect((await change(id, { isActive: false })).json()).toMatchObject({ state: "disabled", sessions: 0 });
  expect((await as(token, "GET", "/auth")).json()).toMatchObject({ status: 401, msg: "Token is not valid" });
  expect(await enter("leaver@example.com")).toBeUndefined();
  await change(id, { isActive: true });
  // The ended session stays ended.
  expect((await as(token, "GET", "/auth")).statusCode).toBe(401);
  expect((await as(await enter("leaver@example.com"), "GET", "/auth")).statusCode).toBe(200);
});

test("nobody can lock themselves out, and the last admin who can sign in stays one", async () => {
  expect((await change(1, { isActive: false })).json()).toMatchObject({ status: 409, code: "own-account" });
  expect((await change(1, { role: "user" })).json()).toMatchObject({ status: 409, code: "own-account" });
  // Invited, but not here yet: not somebody who could take over.
  await invite("second@example.com", { role: "admin" });
  const other = await join("third@example.com");
  await change(other.id, { role: "admin" });
  // Each takes the other's rights at the same moment: one of them is left.
  const [first, second] = await Promise.all([
    change(other.id, { role: "user" }),
    as(other.token, "PATCH", "/api/v1/users/1", { role: "user" }),
  ]);
  expect([first.statusCode, second.statusCode].filter((status) => status === 200)).toHaveLength(1);
  const { rows } = await made
    .pool("owner", 1)
    .query(`select id from hub."user" where role = 'admin' and is_active and password_hash is not null`);
  expect(rows).toHaveLength(1);
  await made.pool("owner", 1).query(`update hub."user" set role = 'admin' where id = 1`);
});

test("an admin sees and ends the sessions of a person", async () => {
  const { id, token } = await join("sessions@example.com");
  const second = await enter("sessions@example.com");
  const sessions = `/api/v1/users/${id}/sessions`;
  const [newest] = (await made.call("admin", "GET", sessions)).json<{ items: { id: string }[] }>().items;
  expect((await made.call("admin", "DELETE", `${sessions}/${newest?.id}`)).statusCode).toBe(204);
  expect((await made.call("admin", "DELETE", `${sessions}/${newest?.id}`)).statusCode).toBe(404);
  expect((await as(second, "GET", "/auth")).statusCode).toBe(401);
  expect((await as(token, "GET", "/auth")).statusCode).toBe(200);
  expect((await made.call("admin", "DELETE", sessions)).statusCode).toBe(204);
  expect((await as(token, "GET", "/auth")).statusCode).toBe(401);
});

test("a new password needs the present one, ends the other sessions and keeps this one", async () => {
  const { token } = await join("secret@example.com");
  const other = await enter("secret@example.com");
  const set = (present: string, next: string) => as(token, "POST", "/api/v1/account/password", { present, next });
  expect((await set("wrong", "another password")).json()).toMatchObject({ status: 422, code: "password-wrong" });
  expect((await set(testPassword, "short")).statusCode).toBe(400);
  expect((await as(other, "GET", "/auth")).statusCode).toBe(200);
  expect((await set(testPassword, "another password")).statusCode).toBe(204);
  expect((await as(other, "GET", "/auth")).statusCode).toBe(401);
  expect((await as(token, "GET", "/auth")).statusCode).toBe(200);
  expect(await enter("secret@example.com")).toBeUndefined();
  expect(await enter("secret@example.com", "another password")).toBeDefined();
});

test("people change their own name and language, and end their other sessions or one of them", async () => {
  const { token } = await join("own@example.com");
  const changed = await as(token, "PATCH", "/api/v1/account", { name: "Olga", locale: "it" });
  expect(changed.json()).toMatchObject({ name: "Olga", locale: "it", role: ["user"] });
  expect((await as(token, "PATCH", "/api/v1/account", { locale: "xx" })).statusCode).toBe(400);
  const beyond = await as(token, "PATCH", "/api/v1/account", { role: "admin", isActive: false });
  expect(beyond.json()).toMatchObject({ status: 400, errors: [{ reason: "fields-unknown" }] });
  expect((await as(token, "GET", "/auth")).json()).toMatchObject({ role: ["user"] });
  const second = await enter("own@example.com");
  const { items } = (await as(token, "GET", "/api/v1/account/sessions")).json<{ items: { id: string; isCurrent: boolean }[] }>();
  expect(items.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
  expect((await as(made.accounts.viewer, "DELETE", `/api/v1/account/sessions/${items[0]?.id}`)).statusCode).toBe(404);
  expect((await as(token, "DELETE", "/api/v1/account/sessions")).statusCode).toBe(204);
  expect((await as(second, "GET", "/auth")).statusCode).toBe(401);
  expect((await as(token, "GET", "/auth")).statusCode).toBe(200);
});

test("an avatar is kept as a picture written anew, and shown with the person", async () => {
  const hidden = "<script>alert(1)</script>";
  const set = (png: Buffer) => as(made.accounts.user, "PUT", "/api/v1/account/avatar", { png: png.toString("base64") });
  const answer = await set(pngOf({ width: 8, height: 8, text: hidden }));
  expect(answer.statusCode).toBe(200);
  const { avatar } = answer.json<{ avatar: string }>();
  const kept = Buffer.from(avatar.replace("data:image/png;base64,", ""), "base64");
  expect(kept.includes(hidden)).toBe(false);
  expect(rewritePng(kept)?.equals(kept)).toBe(true);
  expect((await made.call("user", "GET", "/auth")).json()).toMatchObject({ avatar });
  expect((await made.call("user", "DELETE", "/api/v1/account/avatar")).json()).toMatchObject({ avatar: null });
});

const picture = pngOf({ width: 4, height: 4 });
test.each([
  ["no picture", Buffer.from("GIF89a")],
  ["a picture cut off", picture.subarray(0, picture.length - 20)],
  ["a wrong checksum", Buffer.concat([picture.subarray(0, 20), Buffer.from([9]), picture.subarray(21)])],
  ["one that is too large", pngOf({ width: 300, height: 4 })],
  ["more pixels than it says", pngOf({ width: 4, height: 4, data: deflateSync(Buffer.alloc(1_000_000)) })],
  ["an unknown filter", pngOf({ width: 4, height: 4, data: deflateSync(Buffer.alloc(4 * 17, 9)) })],
  ["a palette", pngOf({ width: 4, height: 4, colourType: 3 })],
])("%s is refused as an avatar", async (_what, png) => {
  const answer = await made.call("user", "PUT", "/api/v1/account/avatar", { png: png.toString("base64") });
  expect(answer.json()).toMatchObject({ status: 422, code: "picture-invalid" });
});

test("an open event stream ends when its listener is disabled, loses the grant or the session, or its key is revoked", async () => {
  const origin = await made.app.listen({ port: 0, host: "127.0.0.1" });
  const listen = async (token: string) => {
    const answer = await fetch(`${origin}/api/v1/tenants/acme/events`, { headers: { authorization: `Bearer ${token}` } });
    expect(answer.status).toBe(200);
    return answer;
  };
  const [disabled, ungranted, revoked] = [await join("s1@example.com"), await join("s2@example.com"), await join("s3@example.com")];
  const key = (await made.call("admin", "POST", "/api/v1/tenants/acme/api-keys", { name: "reader", scopes: ["read"] })).json<{
    id: number;
    key: string;
  }>();
  const streams = await Promise.all([disabled.token, ungranted.token, revoked.token, key.key].map(listen));
  const staying = await listen(made.accounts.user);
  await change(disabled.id, { isActive: false });
  await change(ungranted.id, { tenants: [] });
  await made.call("admin", "DELETE", `/api/v1/users/${revoked.id}/sessions`);
  await made.call("admin", "DELETE", `/api/v1/tenants/acme/api-keys/${key.id}`);
  // Each resolves when its stream has ended.
  await Promise.all(streams.map((answer) => answer.text()));
  const reader = staying.body?.getReader();
  expect((await reader?.read())?.done).toBe(false);
  await reader?.cancel();
});

test("people are changed, and change themselves, while a long change of theirs is under way", async () => {
  const other = await made.pool("owner", 1).connect();
  try {
    // What is written with a reference to its author, as a job about many messages, holds their row in this way.
    await other.query(`begin; select from hub."user" for key share`);
    expect((await change(3, { name: "Vera V." })).statusCode).toBe(200);
    expect((await made.call("viewer", "PATCH", "/api/v1/account", { locale: "it" })).statusCode).toBe(200);
  } finally {
    await other.query("rollback");
    other.release();
  }
});

const seen = async (tenant: string) => (await list(`?tenant=${tenant}&limit=500`)).map(({ email }) => email);

test("those who may see a tenant are the admins and whoever it is granted to, as long as they are not disabled", async () => {
  const { id } = await invite("only-other@example.com", { tenants: ["other"] });
  expect(await seen("other")).toEqual(expect.arrayContaining(["admin@example.com", "stranger@example.com", "only-other@example.com"]));
  expect(await seen("acme")).toContain("admin@example.com");
  expect(await seen("acme")).not.toContain("only-other@example.com");
  await change(id, { isActive: false });
  expect(await seen("other")).not.toContain("only-other@example.com");
});
