import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { ApiError } from "../errors/errors.ts";
import { testApp, testPassword, type TestApp } from "../testing/test-app.ts";
import { createGuesses } from "./guesses.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());
beforeEach(() => made.pool("owner", 1).query("truncate hub.sign_in_failure, hub.known_network"));

const signIn = (remoteAddress: string, email: string, password: string) =>
  made.app.inject({ method: "POST", url: "/api/v1/session", payload: { email, password }, remoteAddress });

/** Counts a try without a password to look at, and so without the limit of requests a minute, which each process has for itself. Null when it is free. */
const refusalOf = (email: string, network: string) =>
  createGuesses(made.deps.pools.app, made.deps.keys.guesses)
    .count({ email, network })
    .then(
      () => null,
      (error: unknown) => (error instanceof ApiError ? error : Promise.reject(error)),
    );
const attempt = async (email: string, network: string): Promise<string> => (await refusalOf(email, network))?.code ?? "free";

async function freeOf(attempts: Promise<string>[]): Promise<number> {
  const outcomes = await Promise.all(attempts);
  expect(new Set(outcomes)).toEqual(new Set(["free", "too-many-requests"]));
  return outcomes.filter((outcome) => outcome === "free").length;
}

/** Moves what was counted into the past, so that waits are over, or ahead, so that none ends while the test runs. */
const shift = (interval: string) =>
  made.pool("owner", 1).query("update hub.sign_in_failure set last_at = last_at + $1::interval", [interval]);

test.each([
  ["user@example.com", "2001:db8:1:1"],
  ["nobody@example.com", "2001:db8:1:2"],
])("one network has five guesses at %s and then waits, also with the right password", async (email, network) => {
  // Of a network of IPv6 all addresses are one.
  for (let guess = 1; guess <= 5; guess += 1) expect((await signIn(`${network}::${guess}`, email, "wrong")).statusCode).toBe(401);
  await shift("1 hour");
  const refused = await signIn(`${network}::ffff`, email, testPassword);
  expect(refused.json()).toMatchObject({ status: 429, code: "too-many-requests" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(1);
});

const guess = (present: string) => made.call("user", "POST", "/api/v1/account/password", { present, next: "another long password" });

test("who finds somebody's session open has five guesses at the password in it, as at the sign-in", async () => {
  for (let tried = 1; tried <= 5; tried += 1) expect((await guess("wrong")).json()).toMatchObject({ code: "password-wrong" });
  await shift("1 hour");
  const refused = await guess(testPassword);
  expect(refused.json()).toMatchObject({ status: 429, code: "too-many-requests" });
  expect(Number(refused.headers["retry-after"])).toBeGreaterThan(1);
});

test("guesses that come at once are not each the first", async () => {
  const free = await freeOf(Array.from({ length: 30 }, () => attempt("user@example.com", "192.0.2.9")));
  expect(free).toBeGreaterThanOrEqual(5);
  // Waits of 1, 2, 4 and 8 seconds may have ended meanwhile.
  expect(free).toBeLessThan(10);
});

test("every further wrong password doubles the wait, and refused tries don't prolong it", async () => {
  const network = "198.51.100.7";
  expect((await signIn(network, "user@example.com", "wrong")).statusCode).toBe(401);
  await made.pool("owner", 1).query("update hub.sign_in_failure set failures = 10");
  const short: number[] = [];
  for (const expected of [64, 128, 256]) {
    await shift("-20 minutes");
    expect((await signIn(network, "user@example.com", "wrong")).statusCode).toBe(401);
    expect((await signIn(network, "user@example.com", "wrong")).statusCode).toBe(429);
    short.push(expected - Number((await signIn(network, "user@example.com", "wrong")).headers["retry-after"]));
  }
  // By no more than the test itself takes.
  expect(Math.min(...short)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...short)).toBeLessThan(30);
});

test("guesses from many networks use up the account's patience, but not where its owner is known", async () => {
  expect((await signIn("192.0.2.1", "user@example.com", testPassword)).statusCode).toBe(200);
  const free = await freeOf(Array.from({ length: 80 }, (_, index) => attempt("user@example.com", `network ${index}`)));
  expect(free).toBeGreaterThanOrEqual(50);
  expect(free).toBeLessThan(56);
  await shift("1 hour");
  expect((await signIn("203.0.113.9", "user@example.com", testPassword)).statusCode).toBe(429);
  expect((await signIn("192.0.2.1", "user@example.com", testPassword)).statusCode).toBe(200);
  // Nobody is kept out for good.
  await shift("-2 hours");
  expect((await signIn("203.0.113.9", "user@example.com", testPassword)).statusCode).toBe(200);
});

const counted = async () => (await made.pool("owner", 1).query("select key, failures from hub.sign_in_failure order by key")).rows;

test("a try that has to wait for the account's sake is counted nowhere, so that trying makes no wait longer", async () => {
  await freeOf(Array.from({ length: 80 }, (_, index) => attempt("user@example.com", `network ${index}`)));
  await shift("1 hour");
  const before = await counted();
  for (let tried = 0; tried < 3; tried += 1) expect(await attempt("user@example.com", "the person's own")).toBe("too-many-requests");
  expect(await counted()).toEqual(before);
});

test("one network that tries many accounts has to wait, and others don't", async () => {
  const free = await freeOf(Array.from({ length: 80 }, (_, index) => attempt(`person-${index}@example.com`, "one")));
  expect(free).toBeGreaterThanOrEqual(50);
  expect(free).toBeLessThan(58);
  expect(await attempt("person-1@example.com", "two")).toBe("free");
});

test("a right password forgives the wrong ones before it", async () => {
  for (let round = 0; round < 3; round += 1) {
    for (let guess = 0; guess < 4; guess += 1) await signIn("192.0.2.50", "user@example.com", "wrong");
    expect((await signIn("192.0.2.50", "user@example.com", testPassword)).statusCode).toBe(200);
  }
});

test("what is counted names neither people nor addresses", async () => {
  await signIn("192.0.2.77", "user@example.com", "wrong");
  const { rows } = await made.pool("owner", 1).query("select encode(key, 'escape') as key from hub.sign_in_failure");
  expect(rows.length).toBe(3);
  expect(JSON.stringify(rows)).not.toMatch(/user@|192\.0\.2/);
});

const me = "user@example.com";

test.each([
  ["one account from one network", me, "here", 900],
  ["one account", me, "elsewhere", 60],
  ["all accounts from one network", "viewer@example.com", "here", 300],
])("however many guesses were made at %s, nobody waits longer than its longest wait", async (_, email, network, seconds) => {
  await attempt(me, "here");
  await made.pool("owner", 1).query("update hub.sign_in_failure set failures = 5000, last_at = clock_timestamp()");
  const wait = (await refusalOf(email, network))?.extras.retryAfterSeconds;
  expect(wait).toBeLessThanOrEqual(seconds);
  expect(wait).toBeGreaterThan(seconds - 30);
  await shift("-901 seconds");
  expect(await attempt(email, network)).toBe("free");
});

const failures = async () => (await counted()).map((row: { failures: number }) => row.failures);

test("guesses are forgotten a day after the last, not before", async () => {
  for (let guess = 0; guess < 3; guess += 1) await attempt(me, "here");
  await shift("-23 hours");
  await attempt(me, "here");
  expect(await failures()).toEqual([4, 4, 4]);
  await shift("-25 hours");
  await attempt(me, "here");
  expect(await failures()).toEqual([1, 1, 1]);
});

test("a right password forgives its pair all guesses, account and network its own, and what is a day old is removed", async () => {
  await attempt("nobody@example.com", "elsewhere");
  await shift("-25 hours");
  await signIn("192.0.2.60", me, "wrong");
  await signIn("192.0.2.60", me, testPassword);
  expect(await failures()).toEqual([1, 1]);
});

test("a network is known for 90 days after the last sign-in, for that person, and counts the guesses at them all the same", async () => {
  const owner = made.pool("owner", 1);
  const signedIn = (interval: string) => owner.query("update hub.known_network set last_at = now() - $1::interval", [interval]);
  for (const name of ["user", "viewer"]) await signIn(`192.0.2.${name.length}`, `${name}@example.com`, testPassword);
  await owner.query("truncate hub.sign_in_failure");
  await attempt(me, "elsewhere");
  await owner.query("update hub.sign_in_failure set failures = 5000, last_at = clock_timestamp()");
  expect(await attempt(me, "192.0.2.6")).toBe("too-many-requests");
  await signedIn("91 days");
  expect(await attempt(me, "192.0.2.4")).toBe("too-many-requests");
  await signedIn("89 days");
  expect((await signIn("192.0.2.4", me, testPassword)).statusCode).toBe(200);
  await owner.query("update hub.known_network set last_at = last_at - interval '89 days'");
  for (let guess = 0; guess < 5; guess += 1) expect(await attempt(me, "192.0.2.4")).toBe("free");
  await shift("1 hour");
  expect(await attempt(me, "192.0.2.4")).toBe("too-many-requests");
});
