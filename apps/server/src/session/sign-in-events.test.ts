import type { AuditEvent } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { accessTokenSeconds, signAccessToken } from "../access/access-token.ts";
import { testApp, testPassword, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

/** Each call comes from an address of its own, as guesses from one are counted. */
let address = 0;
const post = (url: string, payload: object, remoteAddress = `192.0.2.${(address += 1)}`) =>
  made.app.inject({ method: "POST", url, payload, remoteAddress, headers: { "user-agent": "Tester" } });
const signIn = (password: string, email = "user@example.com", remoteAddress?: string) =>
  post("/api/v1/session", { email, password }, remoteAddress);

type Answer = Awaited<ReturnType<typeof signIn>>;

/** What the audit screen reads of one request. */
async function eventsOf(answer: Answer): Promise<AuditEvent[]> {
  const listed = await made.call("admin", "GET", `/api/v1/audit-events?requestId=${String(answer.headers["x-request-id"])}`);
  return listed.json<{ items: AuditEvent[] }>().items;
}

const cookieOf = (answer: Answer): string => answer.cookies.find(({ name }) => name === "crossdock_refresh")?.value ?? "";
const refresh = (cookie: string) =>
  made.app.inject({ method: "POST", url: "/api/v1/session/refresh", cookies: { crossdock_refresh: cookie } });
const signOut = (cookie: string) =>
  made.app.inject({
    method: "DELETE",
    url: "/api/v1/session",
    cookies: { crossdock_refresh: cookie },
    headers: { "user-agent": "Tester" },
  });

test("a sign-in, of a browser or of an API client, is one event that says who and from where", async () => {
  for (const [url, action] of [
    ["/api/v1/session", "signIn"],
    ["/api/v1/tokens", "createTokens"],
  ] as const) {
    const answer = await post(url, { email: "user@example.com", password: testPassword, remember: true });
    const [event, ...more] = await eventsOf(answer);
    expect(more).toEqual([]);
    expect(event).toMatchObject({
      action,
      outcome: "done",
      tenantCode: null,
      actorKind: "user",
      actorName: "Uli",
      targetKind: "users",
      targetId: "2",
      address: `192.0.2.${address}`,
      userAgent: "Tester",
      requestId: answer.headers["x-request-id"],
      after: { isRemembered: true },
    });
  }
});

test("a refresh is none, and a sign-out is one however often it is asked for", async () => {
  const first = cookieOf(await signIn(testPassword));
  const refreshed = await refresh(first);
  expect(refreshed.statusCode).toBe(200);
  expect(await eventsOf(refreshed)).toEqual([]);
  const cookie = cookieOf(refreshed);
  const answers = await Promise.all([signOut(cookie), signOut(cookie), signOut(cookie)]);
  const events = (await Promise.all(answers.map(eventsOf))).flat();
  expect(events).toMatchObject([{ action: "signOut", outcome: "done", actorName: "Uli", targetKind: "users", targetId: "2" }]);
  expect(await eventsOf(await signOut(""))).toEqual([]);
});

test("a wrong password is one event that names the account, and of an address that nobody has it does not repeat what was typed", async () => {
  const denied = { action: "signIn", outcome: "denied", code: "credentials-invalid", actorKind: "anonymous", actorName: null };
  const wrong = await eventsOf(await signIn("wrong"));
  expect(wrong).toMatchObject([{ ...denied, targetKind: "users", targetId: "2", after: { email: "user@example.com", isActive: true } }]);
  const unknown = await eventsOf(await signIn("wrong", "canary-typed-into-email@example.com"));
  expect(unknown).toMatchObject([{ ...denied, targetKind: null, targetId: null }]);
  expect(JSON.stringify(unknown)).not.toContain("canary");
});

test("the right password of a disabled account is an event, too, and opens nothing", async () => {
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set is_active = false where id = 3`);
  const answer = await signIn(testPassword, "viewer@example.com");
  await owner.query(`update hub."user" set is_active = true where id = 3`);
  expect(answer.json()).toMatchObject({ status: 401, code: "credentials-invalid" });
  expect(await eventsOf(answer)).toMatchObject([{ outcome: "denied", targetId: "3", after: { isActive: false } }]);
});

test("every wrong password at a known account is kept, also beyond what is kept of a flood", async () => {
  const from = "198.51.100.20";
  const owner = made.pool("owner", 1);
  for (let count = 0; count < 12; count += 1) {
    // As if the waits were over.
    await owner.query("update hub.sign_in_failure set last_at = last_at - interval '1 hour'");
    const answer = await signIn("wrong", "stranger@example.com", from);
    expect({ count, status: answer.statusCode, events: (await eventsOf(answer)).length }).toEqual({ count, status: 401, events: 1 });
  }
});

test("a refresh token that comes back a second time is told once, with whose session it ended", async () => {
  const first = cookieOf(await signIn(testPassword));
  const second = cookieOf(await refresh(first));
  expect((await refresh(second)).statusCode).toBe(200);
  const answers = await Promise.all(Array.from({ length: 5 }, () => refresh(first)));
  const events = (await Promise.all(answers.map(eventsOf))).flat().filter(({ targetKind }) => targetKind === "users");
  expect(events).toMatchObject([{ action: "refreshSession", outcome: "denied", targetId: "2", after: { isEndedByCopy: true } }]);
});

test("a page that is loaded when its session is over is refused nothing that the audit log keeps; a forged token is", async () => {
  const signedIn = await signIn(testPassword);
  const token = signedIn.json<{ access_token: string }>().access_token;
  const load = async (bearer: string) => {
    const answer = await made.app.inject({ url: "/api/v1/tenants", headers: { authorization: `Bearer ${bearer}` } });
    expect(answer.statusCode).toBe(401);
    return (await eventsOf(answer)).map(({ code }) => code);
  };
  vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - (accessTokenSeconds + 1) * 1000 });
  const expired = await signAccessToken(made.deps.keys.accessToken, { userId: 2, sessionId: cookieOf(signedIn).split(".")[0] ?? "" });
  vi.useRealTimers();
  expect(await load(expired)).toEqual([]);
  await signOut(cookieOf(signedIn));
  expect(await load(token)).toEqual([]);
  expect(await eventsOf(await refresh(cookieOf(signedIn)))).toEqual([]);
  expect(await load(`${token.slice(0, -4)}AAAA`)).toEqual(["token-invalid"]);
});

test("a wrong present password of somebody signed in is a refusal of theirs", async () => {
  const answer = await made.call("viewer", "POST", "/api/v1/account/password", { present: "wrong", next: "another long password" });
  expect(await eventsOf(answer)).toMatchObject([
    { action: "changePassword", outcome: "denied", code: "password-wrong", actorName: "Vera", after: null },
  ]);
});
