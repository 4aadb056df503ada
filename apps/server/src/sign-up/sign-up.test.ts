import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { testApp, testPassword, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

/** Every call comes from a network of its own unless it names one, as those of one are counted. */
let networks = 0;
const otherNetwork = () => `2001:db8:0:${(networks += 1).toString(16)}::1`;
const post = (path: string, payload: object, remoteAddress = otherNetwork()) =>
  made.app.inject({ method: "POST", url: `/api/v1/${path}`, payload, remoteAddress });

const newPassword = "seventeen green lamps";
const signUp = (email: string, more: object = {}) => post("sign-up", { name: "Nora", email, password: newPassword, ...more });
const signIn = (email: string, password: string) => post("session", { email, password });
const forget = (email: string, locale = "en") => post("password-reset", { email, locale });

type Mail = { recipient: string; kind: string; locale: string; subject: string; text: string };

/** Newest first. */
async function mailsTo(email: string): Promise<Mail[]> {
  const answer = await made.call("admin", "GET", "/api/v1/mails?limit=500");
  return answer.json<{ items: Mail[] }>().items.filter(({ recipient }) => recipient === email);
}

const codeIn = (mail: Mail | undefined): string => /\b\d{6}\b/.exec(mail?.text ?? "")?.[0] ?? "none";
const attemptOf = (answer: { json: () => unknown }): string => (answer.json() as { attemptId: string }).attemptId;
/** What of an answer may not depend on the address: all but the values of ids and times. */
const shapeOf = (answer: Awaited<ReturnType<typeof signUp>>) => ({
  status: answer.statusCode,
  headers: Object.keys(answer.headers).toSorted(),
  body: { ...answer.json<object>(), attemptId: attemptOf(answer).replaceAll(/[0-9a-f]/g, "x").length },
});
const wrong = (code: string): string => (code === "000000" ? "000001" : "000000");

test("a sign-up confirmed by its code is a viewer's account without a tenant", async () => {
  const asked = await signUp(" Nora@Example.com ", { locale: "it" });
  expect(asked.statusCode).toBe(200);
  expect((await signIn("nora@example.com", newPassword)).statusCode).toBe(401);
  const [mail] = await mailsTo("nora@example.com");
  expect(mail).toMatchObject({ kind: "sign-up", locale: "it" });
  const confirmation = { attemptId: attemptOf(asked), code: codeIn(mail) };
  expect((await post("sign-up/confirmation", confirmation)).statusCode).toBe(204);
  const session = (await signIn("nora@example.com", newPassword)).json<{ access_token: string; user: object }>();
  expect(session.user).toMatchObject({ email: "nora@example.com", name: "Nora", role: ["viewer"], locale: "it" });
  const tenants = await made.app.inject({ url: "/api/v1/tenants", headers: { authorization: `Bearer ${session.access_token}` } });
  expect(tenants.json()).toMatchObject({ items: [] });
  // Once.
  expect((await post("sign-up/confirmation", confirmation)).json()).toMatchObject({ status: 422, code: "code-expired" });
});

test("a sign-up that asks for more than a name is refused", async () => {
  const answer = await signUp("mass@example.com", { role: "admin", isActive: true, tenants: ["acme"] });
  const names = "role, isActive, tenants";
  expect(answer.json()).toMatchObject({ status: 400, errors: [{ reason: "fields-unknown", values: { names } }] });
  expect(await mailsTo("mass@example.com")).toEqual([]);
});

test("known, unknown, disabled and once asked addresses are answered alike, and the mail alone tells the difference", async () => {
  await made
    .pool("owner", 1)
    .query(`insert into hub."user" (email, name, role, is_active) values ('off@example.com', 'Off', 'viewer', false)`);
  const shapes = [];
  for (const email of ["viewer@example.com", "unseen@example.com", "off@example.com", "unseen@example.com"])
    shapes.push(shapeOf(await signUp(email)));
  expect(new Set(shapes.map((shape) => JSON.stringify(shape))).size).toBe(1);
  expect((await mailsTo("viewer@example.com"))[0]).toMatchObject({
    kind: "already-registered",
    text: expect.stringContaining("The entered Email address is already registered!"),
  });
  expect((await mailsTo("unseen@example.com")).map(({ kind }) => kind)).toEqual(["sign-up-again", "sign-up"]);

  const resets = [];
  for (const email of ["viewer@example.com", "nowhere@example.com", "off@example.com"]) resets.push(shapeOf(await forget(email)));
  expect(new Set(resets.map((shape) => JSON.stringify(shape))).size).toBe(1);
  expect((await mailsTo("nowhere@example.com"))[0]).toMatchObject({ kind: "no-account" });
  expect((await mailsTo("off@example.com"))[0]).toMatchObject({ kind: "no-account" });
});

test("no code confirms the sign-up of a registered address, and wrong ones are refused as for any other", async () => {
  const attemptId = attemptOf(await signUp("user@example.com"));
  const codes = [];
  for (let tries = 0; tries < 5; tries += 1) {
    codes.push((await post("sign-up/confirmation", { attemptId, code: "123456" })).json<{ code: string }>().code);
  }
  expect(codes).toEqual(["code-wrong", "code-wrong", "code-wrong", "code-wrong", "code-expired"]);
});

test("the same work is done for known and for unknown addresses", async () => {
  // Every statement of the app's connections goes through one of these.
  const statements: string[] = [];
  // eslint-disable-next-line typescript/unbound-method -- called below with the client that it belongs to
  const original = pg.Client.prototype.query;
  const spy = vi.spyOn(pg.Client.prototype, "query").mockImplementation(function spied(this: pg.Client, ...words: unknown[]) {
    const [first] = words;
    statements.push(typeof first === "string" ? first : String((first as { text?: string }).text));
    return Reflect.apply(original, this, words);
  });
  const workFor = async (email: string): Promise<string[]> => {
    statements.length = 0;
    await signUp(email);
    await forget(email);
    await signIn(email, "a wrong password");
    return [...statements];
  };
  const [known, unknown] = [await workFor("stranger@example.com"), await workFor("unknown-1@example.com")];
  spy.mockRestore();
  expect(known.length).toBeGreaterThan(10);
  expect(known).toEqual(unknown);
});

test("five wrong codes use up the right one, also when they come at once", async () => {
  const asked = await signUp("brute@example.com");
  const code = codeIn((await mailsTo("brute@example.com"))[0]);
  const tries = Array.from({ length: 20 }, () => post("sign-up/confirmation", { attemptId: attemptOf(asked), code: wrong(code) }));
  const answers = (await Promise.all(tries)).map((answer) => answer.json<{ code: string }>().code);
  expect(answers.filter((each) => each === "code-wrong")).toHaveLength(4);
  expect((await post("sign-up/confirmation", { attemptId: attemptOf(asked), code })).json()).toMatchObject({ code: "code-expired" });
});

test("a code is good for its own asking only", async () => {
  const [first, second] = [await signUp("two@example.com"), await signUp("two@example.com", { password: "an attacker's password" })];
  const [newest, oldest] = await mailsTo("two@example.com");
  expect((await post("sign-up/confirmation", { attemptId: attemptOf(first), code: codeIn(newest) })).json()).toMatchObject({
    code: "code-wrong",
  });
  expect((await post("sign-up/confirmation", { attemptId: attemptOf(first), code: codeIn(oldest) })).statusCode).toBe(204);
  // The other one is worth nothing any more: the address has an account.
  expect((await post("sign-up/confirmation", { attemptId: attemptOf(second), code: codeIn(newest) })).statusCode).toBe(422);
  expect((await signIn("two@example.com", newPassword)).statusCode).toBe(200);
});

test("a code that is over is refused with the specified text's code", async () => {
  const asked = await signUp("late@example.com");
  const code = codeIn((await mailsTo("late@example.com"))[0]);
  await made.pool("owner", 1).query("update hub.email_code set expires_at = now() where id = $1", [attemptOf(asked)]);
  expect((await post("sign-up/confirmation", { attemptId: attemptOf(asked), code })).json()).toMatchObject({ code: "code-expired" });
});

test("one address gets five mails an hour, also when asked at once, no more codes than mails, and the answers don't tell", async () => {
  const asked = await Promise.all(Array.from({ length: 7 }, () => signUp("flood@example.com")));
  expect(new Set(asked.map(({ statusCode }) => statusCode))).toEqual(new Set([200]));
  expect(await mailsTo("flood@example.com")).toHaveLength(5);
  const sql = "select count(*)::integer as asked, count(code_hash)::integer as codes from hub.email_code where email = 'flood@example.com'";
  expect((await made.pool("owner", 1).query(sql)).rows).toEqual([{ asked: 7, codes: 5 }]);
});

/** How many mails an address gets for so many askings from one network. */
async function mailsFor(path: string, email: string, askings: number, from: string): Promise<number> {
  const before = (await mailsTo(email)).length;
  const body = { email, ...(path === "sign-up" && { name: "Nora", password: newPassword }) };
  for (let asking = 0; asking < askings; asking += 1) expect((await post(path, body, from)).statusCode).toBe(200);
  return (await mailsTo(email)).length - before;
}

test.each([
  ["sign-up", "wanted@example.com"],
  ["password-reset", "user@example.com"],
])("one stranger who asks for codes (%s) leaves some to others, who have no more than five an hour together", async (path, email) => {
  await made.pool("owner", 1).query("truncate hub.email_code, hub.known_network");
  expect(await mailsFor(path, email, 5, otherNetwork())).toBe(3);
  expect(await mailsFor(path, email, 1, otherNetwork())).toBe(1);
  expect(await mailsFor(path, email, 5, otherNetwork())).toBe(1);
  expect(await mailsFor(path, email, 1, otherNetwork())).toBe(0);
});

test("where somebody has signed in, no askings from elsewhere keep a new password from them, nor theirs from elsewhere", async () => {
  await made.pool("owner", 1).query("truncate hub.email_code, hub.known_network");
  const email = "user@example.com";
  const home = otherNetwork();
  expect((await post("session", { email, password: testPassword }, home)).statusCode).toBe(200);
  for (let asking = 0; asking < 6; asking += 1) await mailsFor("password-reset", email, 1, otherNetwork());
  expect(await mailsFor("password-reset", email, 1, otherNetwork())).toBe(0);
  expect(await mailsFor("password-reset", email, 4, home)).toBe(3);
  // That network is known for this person alone.
  const other = "stranger-to-all@example.com";
  for (let asking = 0; asking < 5; asking += 1) await mailsFor("password-reset", other, 1, otherNetwork());
  expect(await mailsFor("password-reset", other, 1, home)).toBe(0);
  await made.pool("owner", 1).query("update hub.email_code set created_at = created_at - interval '2 hours' where email = $1", [email]);
  expect(await mailsFor("password-reset", email, 4, home)).toBe(2);
  // Strangers have had five of their ten a day; those from home don't count.
  for (let asking = 0; asking < 5; asking += 1) expect(await mailsFor("password-reset", email, 1, otherNetwork())).toBe(1);
  expect(await mailsFor("password-reset", email, 1, otherNetwork())).toBe(0);
});

test("a reset sets the password, ends all sessions, and says so in the person's language", async () => {
  await made.pool("owner", 1).query(`update hub."user" set locale = 'fr' where id = 3`);
  const before = (await signIn("viewer@example.com", testPassword)).json<{ access_token: string }>();
  const attemptId = attemptOf(await forget("viewer@example.com"));
  const [mail] = await mailsTo("viewer@example.com");
  expect(mail).toMatchObject({ kind: "password-reset", locale: "fr", text: expect.stringContaining("mot de passe") });
  const confirmation = { attemptId, code: codeIn(mail), password: newPassword };
  expect((await post("password-reset/confirmation", confirmation)).statusCode).toBe(204);
  expect((await post("password-reset/confirmation", confirmation)).statusCode).toBe(422);
  const me = await made.app.inject({ url: "/auth", headers: { authorization: `Bearer ${before.access_token}` } });
  expect(me.statusCode).toBe(401);
  expect((await signIn("viewer@example.com", testPassword)).statusCode).toBe(401);
  expect((await signIn("viewer@example.com", newPassword)).statusCode).toBe(200);
  expect((await mailsTo("viewer@example.com"))[0]).toMatchObject({ kind: "password-changed", locale: "fr" });
});

test("a person without a password here can't be given one by mail", async () => {
  await made.pool("owner", 1).query(`insert into hub."user" (email, name, role) values ('sso@example.com', 'Sam', 'admin')`);
  const attemptId = attemptOf(await forget("sso@example.com"));
  expect((await mailsTo("sso@example.com"))[0]).toMatchObject({ kind: "no-account" });
  expect((await post("password-reset/confirmation", { attemptId, code: "000000", password: newPassword })).statusCode).toBe(422);
});

test.each([
  ["nine chars", "too short", 400],
  ["Password123!", "a common word with decoration", 422],
  ["p4$$w0rd2026", "a common word in disguise", 422],
  ["ｐａｓｓｗｏｒｄ１２３", "a common word in wide letters", 422],
  ["abcabcabcabc", "a pattern", 422],
  ["1234567890", "a row", 422],
  ["crossdock-2026", "the product's name", 422],
  ["nora@example.com", "one's own address", 422],
  ["x".repeat(201), "too long", 400],
])("%s is refused as %s", async (password, _, status) => {
  const before = await mailsTo("nora@example.com");
  expect((await signUp("nora@example.com", { password: password === "nine chars" ? "nine char" : password })).statusCode).toBe(status);
  expect(await mailsTo("nora@example.com")).toEqual(before);
});

test("a refused password doesn't use up the code of a reset", async () => {
  const attemptId = attemptOf(await forget("admin@example.com"));
  const code = codeIn((await mailsTo("admin@example.com"))[0]);
  expect((await post("password-reset/confirmation", { attemptId, code, password: "password1234" })).json()).toMatchObject({
    code: "password-common",
  });
  expect((await post("password-reset/confirmation", { attemptId, code, password: testPassword })).statusCode).toBe(204);
  const answer = await signIn("admin@example.com", testPassword);
  made.accounts.admin = answer.json<{ access_token: string }>().access_token;
});

test("the database gives away neither codes nor mails", async () => {
  await signUp("dump@example.com");
  const mail = (await mailsTo("dump@example.com"))[0];
  const { rows } = await made
    .pool("owner", 1)
    .query(
      `select to_jsonb(mail) as mail, (select jsonb_agg(email_code) from hub.email_code) as codes from hub.mail where recipient = 'dump@example.com'`,
    );
  const dump = JSON.stringify(rows);
  expect(codeIn(mail)).toMatch(/^\d{6}$/);
  expect(dump).not.toContain(codeIn(mail));
  expect(dump).not.toContain(Buffer.from(codeIn(mail)).toString("hex"));
});

test("an installation may close the sign-up, and may tell who is registered", async () => {
  const closed = await testApp({ CROSSDOCK_SIGN_UP: "0", CROSSDOCK_TELL_REGISTERED: "1" });
  const ask = (email: string) =>
    closed.app.inject({ method: "POST", url: "/api/v1/sign-up", payload: { name: "Nora", email, password: newPassword } });
  expect((await ask("x@example.com")).json()).toMatchObject({ status: 403, code: "sign-up-closed" });
  expect((await closed.app.inject({ url: "/api/v1/sign-in-options" })).json()).toMatchObject({ isSignUpOpen: false });
  closed.deps.config.isSignUpOpen = true;
  expect((await ask("user@example.com")).json()).toMatchObject({
    status: 409,
    code: "already-registered",
    title: "The entered Email address is already registered!",
  });
  const asked = await ask("x@example.com");
  expect(asked.json()).toMatchObject({ outcome: "sent" });
  expect((await ask("x@example.com")).json()).toMatchObject({ outcome: "started" });
  closed.deps.config.isSignUpOpen = false;
  const confirmation = { attemptId: attemptOf(asked), code: "000000" };
  const late = await closed.app.inject({ method: "POST", url: "/api/v1/sign-up/confirmation", payload: confirmation });
  expect(late.json()).toMatchObject({ status: 403, code: "sign-up-closed" });
  await closed.close();
});

test("mails are for admins alone", async () => {
  for (const account of ["user", "viewer"] as const) expect((await made.call(account, "GET", "/api/v1/mails")).statusCode).not.toBe(200);
});
