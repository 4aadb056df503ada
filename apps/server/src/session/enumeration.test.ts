import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import type * as EmailCodes from "../sign-up/email-codes.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import type * as NewPassword from "./new-password.ts";
import type * as Passwords from "./passwords.ts";

/**
 * Nobody learns from the time of an answer who has an account. Known and unknown addresses are asked in turns, and their times compared by the
 * share of pairs in which the known one took longer (Mann and Whitney's U over the number of pairs): 0.5 when nothing tells them apart, 0 or 1
 * when the time does. A busy machine disturbs both alike and moves the share towards 0.5.
 */

const planted = vi.hoisted(() => ({ isEarly: false }));
vi.mock("./passwords.ts", async (original) => {
  const real = await original<typeof Passwords>();
  const verifyPassword: typeof real.verifyPassword = (hash, password) =>
    planted.isEarly && hash === null ? Promise.resolve(false) : real.verifyPassword(hash, password);
  return { ...real, verifyPassword };
});
vi.mock("./new-password.ts", async (original) => {
  const real = await original<typeof NewPassword>();
  const hashNewPassword: typeof real.hashNewPassword = (password, about) =>
    planted.isEarly && about?.some((text) => text.startsWith("known-")) ? Promise.resolve("none") : real.hashNewPassword(password, about);
  return { ...real, hashNewPassword };
});
vi.mock("../sign-up/email-codes.ts", async (original) => {
  const real = await original<typeof EmailCodes>();
  const early = { attemptId: "00000000-0000-4000-8000-000000000000", code: "000000", isMailDue: false, isRepeated: false };
  const ask: typeof real.ask = (client, key, asking) =>
    planted.isEarly && !asking.isReal ? Promise.resolve(early) : real.ask(client, key, asking);
  return { ...real, ask };
});

/**
 * A round has so many of each kind. By chance alone its share leaves the bounds, 2.7 times the standard error, seven times in a thousand rounds;
 * three of five rounds do so in a few of a million runs.
 */
const samples = 20;
const deviationMax = 0.25;
const roundsMax = 5;

let made: TestApp;
let asked = 0;
beforeAll(async () => {
  made = await testApp();
  // Of each address so few guesses and askings that no limit is reached.
  await made.pool("owner", 1).query(
    `insert into hub."user" (email, name, role, password_hash)
     select 'known-' || n || '@example.com', 'Known', 'viewer', (select password_hash from hub."user" where id = 1)
     from generate_series(1, 800) n`,
  );
});
afterAll(() => made.close());
afterEach(() => {
  planted.isEarly = false;
});

type Ways = Record<string, { url: string; bodyOf: (email: string) => object; status: number }>;
const ways = {
  "sign-in": { url: "/api/v1/session", bodyOf: (email) => ({ email, password: "a wrong password" }), status: 401 },
  "forgotten password": { url: "/api/v1/password-reset", bodyOf: (email) => ({ email, locale: "en" }), status: 200 },
  "sign-up": {
    url: "/api/v1/sign-up",
    bodyOf: (email) => ({ email, name: "Nora", password: "seventeen green lamps", locale: "en" }),
    status: 200,
  },
} satisfies Ways;
type Way = keyof typeof ways;

/** Milliseconds until the answer. Each asks from an address of its own and, of its kind, about another account. */
async function timeOf(way: Way, kind: "known" | "unknown"): Promise<number> {
  asked += 1;
  const { url, bodyOf, status } = ways[way];
  const payload = bodyOf(kind === "known" ? `known-${(asked % 800) + 1}@example.com` : `unknown-${asked}@example.com`);
  const remoteAddress = `10.${Math.floor(asked / 250) + 1}.${asked % 250}.1`;
  const began = performance.now();
  const answer = await made.app.inject({ method: "POST", url, payload, remoteAddress });
  const took = performance.now() - began;
  expect(answer.statusCode).toBe(status);
  return took;
}

/** How far the share of pairs in which the known took longer is from one half. */
async function deviationOf(way: Way): Promise<number> {
  const times: Record<"known" | "unknown", number[]> = { known: [], unknown: [] };
  for (let count = 0; count < samples; count += 1) {
    const order = Math.random() < 0.5 ? (["known", "unknown"] as const) : (["unknown", "known"] as const);
    for (const kind of order) times[kind].push(await timeOf(way, kind));
  }
  const longer = times.known.reduce((sum, known) => sum + times.unknown.filter((unknown) => known > unknown).length, 0);
  return Math.abs(longer / samples ** 2 - 0.5);
}

/** Whether most rounds find that the times differ. */
async function isTold(way: Way): Promise<boolean> {
  // What is compiled and prepared at the first calls is no part of it.
  for (const kind of ["known", "unknown", "known", "unknown"] as const) await timeOf(way, kind);
  const majority = Math.ceil(roundsMax / 2);
  let found = 0;
  for (let round = 1; round <= roundsMax; round += 1) {
    if ((await deviationOf(way)) > deviationMax) found += 1;
    if (found === majority) return true;
    if (round - found === majority) return false;
  }
  return false;
}

test.each(Object.keys(ways) as Way[])("the time of a %s does not tell whether the address has an account", async (way) => {
  expect(await isTold(way)).toBe(false);
});

test.each(Object.keys(ways) as Way[])("a %s that returned early for one kind would be found out", async (way) => {
  planted.isEarly = true;
  expect(await isTold(way)).toBe(true);
});
