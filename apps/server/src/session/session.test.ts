import { decodeJwt, exportJWK, generateKeyPair, SignJWT, type JWK } from "jose";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAppParts } from "../app-parts.ts";
import { createApp } from "../app.ts";
import { sha256 } from "../keys/sha256.ts";
import { hashPassword } from "./passwords.ts";
import { testApp, testPassword, waitingForLocks, type TestApp } from "../testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

/** Each sign-in comes from an address of its own, as guesses from one are counted. */
let address = 0;
const signIn = (password: string, email = "user@example.com", remember = false, remoteAddress = `192.0.2.${(address += 1)}`) =>
  made.app.inject({ method: "POST", url: "/api/v1/session", payload: { email, password, remember }, remoteAddress });

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

test.each(["password_hash = 'another'", "is_active = false"])(
  "no session begins by a password that was looked at before the row got %s, which ends the others",
  async (change) => {
    const owner = made.pool("owner", 2);
    const admin = await owner.connect();
    try {
      await admin.query(`begin; update hub."user" set ${change} where id = 2`);
      const entering = signIn(testPassword);
      await expect.poll(() => waitingForLocks(owner)).toBe(1);
      await admin.query("update hub.session set revoked_at = now() where user_id = 2; commit");
      expect((await entering).json()).toMatchObject({ status: 401, code: "credentials-invalid" });
    } finally {
      await admin.query("rollback");
      admin.release();
    }
    await owner.query(
      `update hub."user" set is_active = true, password_hash = (select password_hash from hub."user" where id = 1) where id = 2`,
    );
  },
);

test("a wrong password and an unknown email get the same answer", async () => {
  const answers = [await signIn("wrong"), await signIn("wrong", "nobody@example.com")];
  const [wrong, unknown] = answers.map((answer) => ({ ...answer.json(), requestId: "" }));
  expect(answers.map((answer) => answer.statusCode)).toEqual([401, 401]);
  expect(wrong).toEqual(unknown);
});

test("a password is the same one however a keyboard spells its characters", async () => {
  const owner = made.pool("owner", 1);
  const keep = await hashPassword("siebzehn grüne Lämpchen".normalize("NFD"));
  await owner.query(`update hub."user" set password_hash = $1 where id = 4`, [keep]);
  for (const form of ["NFC", "NFD"]) {
    expect((await signIn("siebzehn grüne Lämpchen".normalize(form), "stranger@example.com")).statusCode).toBe(200);
  }
  expect((await signIn("siebzehn grune Lampchen", "stranger@example.com")).statusCode).toBe(401);
});

test("the email is read without regard to case and space", async () => {
  expect((await signIn(testPassword, " User@Example.COM ")).statusCode).toBe(200);
  // As it was written when the account was made, not as the database's locale would.
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set email = 'ödön@example.com' where id = 3`);
  expect((await signIn(testPassword, "Ödön@example.com")).statusCode).toBe(200);
  await owner.query(`update hub."user" set email = 'viewer@example.com' where id = 3`);
});

test("the current user is answered in the specified form", async () => {
  const answer = await currentUser(made.accounts.viewer);
  expect(answer.json()).toEqual({ _id: "3", name: "Vera", email: "viewer@example.com", avatar: null, role: ["viewer"], locale: null });
});

/** A session with its newest refresh token, those before it, and an access token. */
async function startFamily(generations: number) {
  const tokens = [cookieOf(await signIn(testPassword))?.value ?? ""];
  let accessToken = "";
  while (tokens.length < generations) {
    const answer = await refresh(tokens.at(-1) ?? "");
    tokens.push(cookieOf(answer)?.value ?? "");
    accessToken = answer.json<{ access_token: string }>().access_token;
  }
  return { tokens, accessToken };
}

/** Lets time go by since the tokens were used. */
const passSeconds = (seconds: number) =>
  made.pool("owner", 1).query("update hub.refresh_token set used_at = used_at - make_interval(secs => $1)", [seconds]);

test.each([
  ["parent", 1],
  ["grandparent", 2],
])("the %s of the newest refresh token, presented again, ends the family and its access tokens", async (_, age) => {
  const { tokens, accessToken } = await startFamily(3);
  expect((await currentUser(accessToken)).statusCode).toBe(200);
  await passSeconds(60);
  expect((await refresh(tokens.at(-1 - age) ?? "")).statusCode).toBe(401);
  expect((await refresh(tokens.at(-1) ?? "")).statusCode).toBe(401);
  expect((await currentUser(accessToken)).json()).toMatchObject({ status: 401, msg: "Token is not valid" });
});

test("a refresh whose answer was lost is answered again with the same next token, also when the connection was gone for most of a minute", async () => {
  const { tokens } = await startFamily(2);
  const [first = "", second = ""] = tokens;
  await passSeconds(50);
  expect(cookieOf(await refresh(first))?.value).toBe(second);
  expect((await refresh(second)).statusCode).toBe(200);
});

test("whose next token was used did get its answer: the grace ends there", async () => {
  const { tokens, accessToken } = await startFamily(3);
  expect((await refresh(tokens[0] ?? "")).statusCode).toBe(401);
  expect((await currentUser(accessToken)).statusCode).toBe(401);
});

test("20 refreshes at once with one token give one next token", async () => {
  const { tokens } = await startFamily(1);
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(tokens[0] ?? "")));
  expect(answers.map((answer) => answer.statusCode)).toEqual(Array.from({ length: 20 }, () => 200));
  expect(new Set(answers.map((answer) => cookieOf(answer)?.value)).size).toBe(1);
  const { rows } = await made
    .pool("owner", 1)
    .query("select count(*)::integer as tokens from hub.refresh_token where session_id = $1", [tokens[0]?.split(".")[0]]);
  expect(rows).toEqual([{ tokens: 2 }]);
});

test("20 replays at once after the grace end the family, and none of them gets anything", async () => {
  const { tokens, accessToken } = await startFamily(2);
  await passSeconds(60);
  const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(tokens[0] ?? "")));
  expect(new Set(answers.map((answer) => answer.statusCode))).toEqual(new Set([401]));
  expect((await currentUser(accessToken)).statusCode).toBe(401);
});

test("a made-up token with the id of a session doesn't end it", async () => {
  const { tokens } = await startFamily(1);
  const [sessionId] = (tokens[0] ?? "").split(".");
  expect((await refresh(`${sessionId}.madeup`)).statusCode).toBe(401);
  expect((await refresh(tokens[0] ?? "")).statusCode).toBe(200);
});

test("a token under the id of another session neither renews nor ends either", async () => {
  const [one, two] = [await startFamily(1), await startFamily(1)];
  const mixed = `${two.tokens[0]?.split(".")[0]}.${one.tokens[0]?.split(".")[1]}`;
  expect((await refresh(mixed)).statusCode).toBe(401);
  await made.app.inject({ method: "DELETE", url: "/api/v1/session", cookies: { crossdock_refresh: mixed } });
  for (const { tokens } of [one, two]) expect((await refresh(tokens[0] ?? "")).statusCode).toBe(200);
});

const sessionOf = (token = ""): string => token.split(".")[0] ?? "";

test.each([
  ["plain", "12 hours", "7 days", false],
  ["remembered", "30 days", "180 days", true],
])("a %s session ends %s after its last use, and at the latest %s after its beginning", async (_, unused, longest, remember) => {
  const first = cookieOf(await signIn(testPassword, undefined, remember))?.value ?? "";
  const owner = made.pool("owner", 1);
  const times = async () => {
    const sql = `select expires_at = refreshed_at + $2::interval as "isRenewed", ends_at = created_at + $3::interval as "isBounded", expires_at = ends_at as "isLast"
      from hub.session where id = $1`;
    return (await owner.query(sql, [sessionOf(first), unused, longest])).rows;
  };
  expect(await times()).toEqual([{ isRenewed: true, isBounded: true, isLast: false }]);
  await owner.query("update hub.session set expires_at = now() + interval '1 minute' where id = $1", [sessionOf(first)]);
  const second = cookieOf(await refresh(first))?.value ?? "";
  expect(await times()).toEqual([{ isRenewed: true, isBounded: true, isLast: false }]);
  await owner.query("update hub.session set ends_at = now() + interval '1 hour' where id = $1", [sessionOf(first)]);
  expect((await refresh(second)).statusCode).toBe(200);
  expect(await times()).toEqual([{ isRenewed: false, isBounded: false, isLast: true }]);
});

test.each([
  ["is over", "hub.session set expires_at = now()"],
  ["was ended", "hub.session set revoked_at = now()"],
  ["is a disabled person's", `hub."user" set is_active = false`],
])("of a session that %s neither the newest token nor the one before it is answered", async (_, change) => {
  const { tokens } = await startFamily(2);
  const owner = made.pool("owner", 1);
  await owner.query(`update ${change} where ${change.includes("session") ? "user_id" : "id"} = 2`);
  const ask = (token: string) => made.app.inject({ url: "/gateway/v1/admin/refresh", query: { refresh: token } });
  const answers = [await ask(tokens[1] ?? ""), await ask(tokens[0] ?? "")];
  await owner.query(`update hub."user" set is_active = true where id = 2`);
  expect(answers.map(({ statusCode }) => statusCode)).toEqual([401, 401]);
});

test("a used token is forgotten after 30 days, and a person's ended sessions when another begins", async () => {
  const { tokens } = await startFamily(3);
  const other = cookieOf(await signIn(testPassword, "viewer@example.com"))?.value;
  const owner = made.pool("owner", 1);
  const [first, second] = tokens.map((token) => sha256(token.split(".")[1] ?? ""));
  await owner.query("update hub.refresh_token set used_at = now() - interval '31 days' where hash = $1", [first]);
  await owner.query("update hub.refresh_token set used_at = now() - interval '29 days' where hash = $1", [second]);
  expect((await refresh(tokens[2] ?? "")).statusCode).toBe(200);
  const kept = await owner.query("select hash from hub.refresh_token where hash = any ($1)", [[first, second]]);
  expect(kept.rows).toEqual([{ hash: second }]);
  const ids = [sessionOf(tokens[0]), sessionOf(other)];
  await owner.query("update hub.session set revoked_at = now() where id = any ($1)", [ids]);
  await signIn(testPassword);
  expect((await owner.query("select id from hub.session where id = any ($1)", [ids])).rows).toEqual([{ id: ids[1] }]);
});

test("another site can neither renew nor end a session", async () => {
  const { tokens } = await startFamily(1);
  const call = (method: "POST" | "DELETE", url: string) =>
    made.app.inject({ method, url, cookies: { crossdock_refresh: tokens[0] ?? "" }, headers: { "sec-fetch-site": "same-site" } });
  expect((await call("POST", "/api/v1/session/refresh")).statusCode).toBe(400);
  expect((await call("DELETE", "/api/v1/session")).statusCode).toBe(400);
  expect((await refresh(tokens[0] ?? "")).statusCode).toBe(200);
});

const renew = (cookie: string) => made.app.inject({ method: "POST", url: "/api/v1/session/refresh", headers: { cookie } });

test("of two cookies of one name neither is taken: a neighbouring host may have set one of them", async () => {
  const [one, other] = [(await startFamily(1)).tokens[0] ?? "", (await startFamily(1)).tokens[0] ?? ""];
  expect((await renew(`crossdock_refresh=${one}; a=b;crossdock_refresh=${other}`)).statusCode).toBe(401);
  expect((await renew(`a=b; crossdock_refresh=${one}`)).statusCode).toBe(200);
});

test("pages of the server's own, and addresses typed in, renew a session", async () => {
  let [token = ""] = (await startFamily(1)).tokens;
  for (const site of ["same-origin", "none"]) {
    const answer = await made.app.inject({
      method: "POST",
      url: "/api/v1/session/refresh",
      cookies: { crossdock_refresh: token },
      headers: { "sec-fetch-site": site },
    });
    expect(answer.statusCode).toBe(200);
    token = cookieOf(answer)?.value ?? "";
  }
});

test("under https the refresh cookie is sent over TLS alone, and only by that name is it taken", async () => {
  const secure = await testApp({ CROSSDOCK_PUBLIC_URL: "https://hub.example.com" });
  const payload = { email: "user@example.com", password: testPassword };
  const [cookie] = (await secure.app.inject({ method: "POST", url: "/api/v1/session", payload })).cookies;
  expect(cookie).toMatchObject({ name: "__Secure-crossdock_refresh", secure: true });
  const renew = (name: string) =>
    secure.app.inject({ method: "POST", url: "/api/v1/session/refresh", cookies: { [name]: cookie?.value ?? "" } });
  expect((await renew("crossdock_refresh")).statusCode).toBe(401);
  expect((await renew("__Secure-crossdock_refresh")).statusCode).toBe(200);
  await secure.close();
});

test("of a browser's name no more than 300 characters are kept", async () => {
  const headers = { "user-agent": "B".repeat(1000) };
  const payload = { email: "user@example.com", password: testPassword };
  const answer = await made.app.inject({ method: "POST", url: "/api/v1/session", payload, headers, remoteAddress: "198.51.100.9" });
  const { rows } = await made
    .pool("owner", 1)
    .query("select length(user_agent) as length from hub.session where id = $1", [sessionOf(cookieOf(answer)?.value)]);
  expect(rows).toEqual([{ length: 300 }]);
});

test.each([
  ["/api/v1/session", 20],
  ["/api/v1/tokens", 20],
  ["/api/v1/account/password", 20],
  ["/api/v1/invitation", 20],
  ["/api/v1/invitation/person", 20],
  ["/api/v1/session/providers", 30],
  ["/api/v1/session/providers/company", 30],
  ["/api/v1/sign-up", 10],
  ["/api/v1/password-reset", 10],
] as const)("%s is answered %i times a minute to one address, whatever is sent", async (url, max) => {
  const ask = async () => (await made.app.inject({ method: "POST", url, payload: {}, remoteAddress: "198.51.100.77" })).statusCode;
  for (let count = 0; count < max; count += 1) expect(await ask()).not.toBe(429);
  expect(await ask()).toBe(429);
});

test("the database holds no refresh token that could be presented", async () => {
  const { tokens } = await startFamily(2);
  const { rows } = await made.pool("owner", 1).query("select encode(hash, 'escape') as hash, session_id from hub.refresh_token");
  expect(rows.length).toBeGreaterThan(1);
  const secrets = tokens.map((token) => token.split(".")[1] ?? "");
  for (const secret of secrets) expect(JSON.stringify(rows)).not.toContain(secret);
});

test.each([
  ["is disabled", "is_active = false"],
  ["gets another role", "role = 'viewer'"],
])("who %s feels it with the next request", async (_, change) => {
  const { accessToken } = await startFamily(2);
  const before = (await currentUser(accessToken)).json<{ role: string[] }>();
  expect(before.role).toEqual(["user"]);
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set ${change} where id = 2`);
  const after = await currentUser(accessToken);
  await owner.query(`update hub."user" set is_active = true, role = 'user' where id = 2`);
  expect(after.statusCode === 401 || after.json<{ role: string[] }>().role[0] === "viewer").toBe(true);
});

test("after signing out neither the cookie nor the access token is worth anything", async () => {
  const session = await signIn(testPassword);
  const cookie = cookieOf(session)?.value ?? "";
  const out = await made.app.inject({ method: "DELETE", url: "/api/v1/session", cookies: { crossdock_refresh: cookie } });
  expect(out.statusCode).toBe(204);
  const refused = await refresh(cookie);
  expect(refused.statusCode).toBe(401);
  for (const answer of [out, refused]) expect(cookieOf(answer)).toMatchObject({ value: "", expires: new Date(0), path: "/api/v1/session" });
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

test("the refresh answers the specified fields and nothing else", async () => {
  const payload = { email: "user@example.com", password: testPassword };
  const tokens = (await made.app.inject({ method: "POST", url: "/api/v1/tokens", payload })).json<{ refresh_token: string }>();
  const refreshed = await made.app.inject({ url: "/gateway/v1/admin/refresh", query: { refresh: tokens.refresh_token } });
  expect(Object.keys(refreshed.json()).toSorted()).toEqual(["access_token", "expires_in", "refresh_token"]);
  expect(refreshed.headers["cache-control"]).toBe("no-store");
});

test("no log line holds a refresh token, not even one that is refused", async () => {
  const { tokens } = await startFamily(1);
  const lines: string[] = [];
  const deps = { ...made.deps, logger: pino({ level: "trace" }, { write: (line) => void lines.push(line) }) };
  const parts = await startAppParts(deps);
  const app = await createApp(deps, parts);
  const ask = (token: string) => app.inject({ url: "/gateway/v1/admin/refresh", query: { refresh: token } });
  expect((await ask(tokens[0] ?? "")).statusCode).toBe(200);
  expect((await ask("a.refused-secret")).statusCode).toBe(401);
  await app.close();
  await parts.stop();
  const log = lines.join("");
  expect(log).toContain("/gateway/v1/admin/refresh");
  for (const secret of [tokens[0]?.split(".")[1] ?? "", "refused-secret"]) expect(log).not.toContain(secret);
});

test("an access token is good for 15 minutes, and none of another key, algorithm, type, issuer, audience or time is taken", async () => {
  const key = made.deps.keys.accessToken;
  const { sid, sub, iat = 0, exp } = decodeJwt<{ sid: string }>((await startFamily(2)).accessToken);
  expect(exp).toBe(iat + 900);
  type Change = { alg?: string; typ?: string; iss?: string; aud?: string; exp?: string; key?: Uint8Array | CryptoKey; jwk?: JWK };
  const token = (change: Change) => {
    const jwt = new SignJWT({ sid, ...(sub && { sub }), iss: change.iss ?? "crossdock", aud: change.aud ?? "crossdock-api" });
    const { alg = "HS256", typ = "at+jwt", jwk } = change;
    jwt.setProtectedHeader({ alg, typ, ...(jwk && { jwk }) });
    if (change.exp !== "never") jwt.setExpirationTime(change.exp ?? "5m");
    return jwt.sign(change.key ?? key);
  };
  expect((await currentUser(await token({}))).statusCode).toBe(200);
  const unsigned = `${btoa('{"alg":"none","typ":"at+jwt"}')}.${(await token({})).split(".")[1]}.`;
  // Signed with a key of somebody's own, which the token itself brings along.
  const { publicKey, privateKey } = await generateKeyPair("RS256");
  const bad = [
    token({ alg: "RS256", key: privateKey, jwk: await exportJWK(publicKey) }),
    token({ key: new Uint8Array(32) }),
    token({ alg: "HS512" }),
    token({ typ: "JWT" }),
    token({ iss: "other" }),
    token({ aud: "other" }),
    token({ exp: "-1m" }),
    token({ exp: "never" }),
    unsigned,
    "garbage",
  ];
  for (const each of bad) expect((await currentUser(await each)).statusCode).toBe(401);
  await made.pool("owner", 1).query("update hub.session set expires_at = now() where id = $1", [sid]);
  expect((await currentUser(await token({}))).statusCode).toBe(401);
});

test("guessing passwords is slowed down", async () => {
  const statuses: number[] = [];
  for (let guess = 0; guess < 21; guess += 1)
    statuses.push((await signIn(`guess ${guess}`, "user@example.com", false, "198.51.100.1")).statusCode);
  expect(new Set(statuses)).toEqual(new Set([401, 429]));
  const refused = await signIn(testPassword, "user@example.com", false, "198.51.100.1");
  expect(refused.json()).toMatchObject({ status: 429, code: "too-many-requests" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
});
