import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { connectors, type TokenGrant } from "@crossdock/connectors";
import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { parseAllowList } from "../egress/addresses.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import { createAccessTokens, type AccessTokens } from "./access-tokens.ts";

let sandbox: Sandbox;
let egress: Egress;
let tokens: AccessTokens;
let now = 0;

beforeAll(async () => {
  sandbox = await startSandbox();
  egress = createEgress({ allow: parseAllowList([`127.0.0.1:${sandbox.port}`]), totalTimeoutMs: 500 });
});
afterAll(async () => {
  await egress.close();
  await sandbox.close();
});
beforeEach(() => {
  sandbox.reset("id");
  now = 0;
  tokens = createAccessTokens(egress, () => now);
});

const point = { tenantId: 1, id: 1 };

async function grant(scope = "erp"): Promise<TokenGrant> {
  const request = await connectors.wgr.request({
    entityType: "item",
    document: "{}",
    key: "A1",
    externalId: null,
    settings: { url: sandbox.url, auth: "oauth2-client-credentials", tokenUrl: `${sandbox.url}/oauth/id/token`, scope },
    credentials: { clientId: "hub", clientSecret: "opensesame" },
    messageId: "1",
  });
  if ("kind" in request || !request.grant) throw new Error("no grant");
  return request.grant;
}

async function get(refused?: string, scope?: string, of = point): Promise<string> {
  const answer = await tokens.get(of, await grant(scope), refused);
  if (answer.kind === "fault") throw new Error(answer.verdict.error.message);
  return answer.token;
}

test("deliveries share a token, those at the same time too", async () => {
  const all = await Promise.all([get(), get(), get()]);
  expect(new Set([...all, await get()]).size).toBe(1);
  expect(sandbox.tokens("id").issued).toBe(1);
});

test("each integration point has its own, and so has each client and scope", async () => {
  const others = [await get(), await get(undefined, "erp", { tenantId: 2, id: 1 }), await get(undefined, "shop")];
  expect(new Set(others).size).toBe(3);
});

test.each([
  ["a minute before its end", { tokenSeconds: 3_600 }, 3_540],
  ["a tenth before its end, if that is less", { tokenSeconds: 10 }, 9],
])("a token is replaced %s", async (_what, behaviour, seconds) => {
  sandbox.control("id", behaviour);
  const first = await get();
  now = seconds * 1000 - 1;
  expect(await get()).toBe(first);
  now = seconds * 1000;
  expect(await get()).not.toBe(first);
});

test("a refused token is replaced once, however many were refused with it", async () => {
  const refused = await get();
  const all = await Promise.all([get(refused), get(refused), get(refused)]);
  expect(new Set(all).size).toBe(1);
  expect(all[0]).not.toBe(refused);
  expect(sandbox.tokens("id").issued).toBe(2);
});

test("a fault is told to all who wait, and the next one tries again", async () => {
  sandbox.control("id", { mode: "500" });
  const faults = await Promise.all([tokens.get(point, await grant()), tokens.get(point, await grant())]);
  for (const fault of faults) expect(fault).toMatchObject({ kind: "fault", verdict: { kind: "retry", isTargetFault: true } });
  sandbox.control("id", { mode: "reset" });
  expect(await tokens.get(point, await grant())).toMatchObject({
    kind: "fault",
    response: null,
    verdict: { error: { class: "connection-lost" } },
  });
  sandbox.control("id", { mode: "ok" });
  expect(await get()).toMatch(/^\S+$/);
});
