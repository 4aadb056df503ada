import { SignJWT } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, testPassword, type TestApp } from "../testing.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const signIn = (password: string, email = "user@example.com", remember = false) =>
  made.app.inject({ method: "POST", url: "/api/v1/session", payload: { email, password, remember } });

const cookieOf = (answer: Awaited<ReturnType<typeof signIn>>) => answer.cookies.find((cookie) => cookie.name === "crossdock_refresh");

const refresh = (cookie: string) =>
  made.app.inject({ method: "POST", url: "/api/v1/session/refresh", cookies: { crossdock_refresh: cookie } });

const currentUser = (token: string) => made.app.inject({ url: "/auth", headers: { authorization: `Bearer ${token}` } });

test("signing in gives an access token of 15 minutes and a refresh cookie out of the reach of scripts", async () => {
  const answer = await signIn(testPassword);
  expect(answer.statusCode).toBe(200);
  expect(answer.json()).toMatchObject({ token_type: "Bearer", expires_in: 900, user: { email: "user@example.com", role: ["user"] } });
  expect(cookieOf(answer)).toMatchObject({ httpOnly: true, sameSite: "Strict", path: "/api/v1/session" });
  expect(cookieOf(answer)?.maxAge).toBeUndefined();
  expect(cookieOf(await signIn(testPassword, "user@example.com", true))?.maxAge).toBe(30 * 24 * 3600);
});

test("a wrong password and an unknown email get the same answer", async () => {
  const answers = [await signIn("wrong"), await signIn("wrong", "nobody@example.com")];
  const [wrong, unknown] = answers.map((answer) => ({ ...answer.json(), requestId: "" }));
  expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401]);
  expect(wrong).toEqual(unknown);
});

test("the email is read without regard to case and space", async () => {
  expect((await signIn(testPassword, " User@Example.COM ")).statusCode).toBe(200);
});

test("the current user is answered in the specified form", async () => {
  const answer = await currentUser(made.accounts.viewer);
  expect(answer.json()).toEqual({ _id: "3", name: "Vera", email: "viewer@example.com", avatar: null, role: ["viewer"], locale: null });
});

test("a refresh token works once; its reuse ends the session with all tokens that came of it", async () => {
  const first = await signIn(testPassword);
  const stolen = cookieOf(first)?.value ?? "";
  const second = await refresh(stolen);
  expect(second.statusCode).toBe(200);
  const { access_token: token } = second.json<{ access_token: string }>();
  expect((await currentUser(token)).statusCode).toBe(200);

  expect((await refresh(stolen)).statusCode).toBe(401);
  expect((await refresh(cookieOf(second)?.value ?? "")).statusCode).toBe(401);
  expect((await currentUser(token)).json()).toMatchObject({ status: 401, msg: "Token is not valid" });
});

test("after signing out neither the cookie nor the access token is worth anything", async () => {
  const session = await signIn(testPassword);
  const cookie = cookieOf(session)?.value ?? "";
  const out = await made.app.inject({ method: "DELETE", url: "/api/v1/session", cookies: { crossdock_refresh: cookie } });
  expect(out.statusCode).toBe(204);
  expect((await refresh(cookie)).statusCode).toBe(401);
  expect((await currentUser(session.json<{ access_token: string }>().access_token)).statusCode).toBe(401);
});

test("an API client refreshes by query, and the token rotates", async () => {
  const payload = { email: "user@example.com", password: testPassword };
  const tokens = (await made.app.inject({ method: "POST", url: "/api/v1/tokens", payload })).json<{ refresh_token: string }>();
  const refreshed = await made.app.inject({ url: "/gateway/v1/admin/refresh", query: { refresh: tokens.refresh_token } });
  expect(refreshed.statusCode).toBe(200);
  expect(refreshed.json()).toMatchObject({ expires_in: 900 });
  expect(refreshed.json<{ refresh_token: string }>().refresh_token).not.toBe(tokens.refresh_token);
});

test.each(["", "x", "00000000-0000-4000-8000-000000000000.secret", "..", "' or 1=1 --"])("refresh token %j is refused", async (token) => {
  expect((await refresh(token)).statusCode).toBe(401);
});

test("tokens of another key, algorithm, issuer, audience or time are refused", async () => {
  const key = made.deps.keys.accessToken;
  const token = (change: { alg?: string; iss?: string; aud?: string; exp?: string; key?: Uint8Array }) =>
    new SignJWT({ sid: "00000000-0000-4000-8000-000000000000" })
      .setProtectedHeader({ alg: change.alg ?? "HS256", typ: "at+jwt" })
      .setSubject("1")
      .setIssuer(change.iss ?? "crossdock")
      .setAudience(change.aud ?? "crossdock-api")
      .setExpirationTime(change.exp ?? "5m")
      .sign(change.key ?? key);
  const unsigned = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${btoa('{"sub":"1"}')}.`;
  const bad = [
    token({ key: new Uint8Array(32) }),
    token({ alg: "HS512", key: Buffer.concat([key, key]) }),
    token({ iss: "other" }),
    token({ aud: "other" }),
    token({ exp: "-1m" }),
    token({}),
    unsigned,
    "garbage",
  ];
  for (const each of bad) expect((await currentUser(await each)).statusCode).toBe(401);
});

test("guessing passwords is slowed down", async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 21; guess += 1) statuses.push((await signIn(`guess ${guess}`)).statusCode);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  const refused = await signIn(testPassword);
  expect(refused.json()).toMatchObject({ status: 429, code: "too-many-requests" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});
