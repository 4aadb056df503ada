import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { installation } from "../api/change.ts";
import { inTenant } from "../db.ts";
import { testApp, waitingForLocks, type TestApp } from "../testing/test-app.ts";
import { personOf } from "./provider-people.ts";
import type { Provider } from "./provider-config.ts";
import { createProviderClient } from "./providers.ts";
import { followSignIn, startTestProvider, testClient, type TestPerson, type TestProvider } from "@crossdock/sandbox/sign-in-provider";

const redirectUri = "http://console.example/redirect";

let provider: TestProvider;
let made: TestApp;
beforeAll(async () => {
  provider = await startTestProvider(redirectUri);
  made = await start({});
});
afterAll(async () => {
  await made.close();
  await provider.close();
});

const groups = { ops: { role: "user", tenants: ["acme"] }, boss: { role: "admin" }, "shop-readers": { tenants: ["acme", "other"] } };

function start(more: Record<string, string>): Promise<TestApp> {
  const entry = { ...testClient, issuer: provider.issuer };
  return testApp({
    CROSSDOCK_PUBLIC_URL: "http://console.example",
    CROSSDOCK_SERVICE_ALLOW: new URL(provider.issuer).host,
    CROSSDOCK_OIDC: JSON.stringify([
      { ...entry, id: "company", name: "Company" },
      { ...entry, id: "mapped", kind: "auth0", groups },
    ]),
    ...more,
  });
}

/** Every call comes from an address of its own, as those of one are counted. */
let address = 0;
const from = () => `192.0.2.${(address += 1)}`;

type Browser = { cookie: string };

async function begin(
  providerId = "company",
  browser: Browser = { cookie: "" },
  app = made,
  headers: Record<string, string> = {},
  remember = true,
) {
  const answer = await app.app.inject({
    method: "POST",
    url: `/api/v1/session/providers/${providerId}`,
    payload: { remember },
    remoteAddress: from(),
    headers,
    cookies: browser.cookie === "" ? {} : { crossdock_flow: browser.cookie },
  });
  browser.cookie = answer.cookies.find(({ name }) => name === "crossdock_flow")?.value ?? "";
  return { browser, answer, url: answer.json<{ url: string }>().url };
}

const finish = (query: string, { cookie }: Browser, app = made, headers: Record<string, string> = {}) =>
  app.app.inject({
    method: "POST",
    url: "/api/v1/session/providers",
    payload: { query },
    headers,
    cookies: cookie === "" ? {} : { crossdock_flow: cookie },
    remoteAddress: from(),
  });

/** The whole way of one person through the provider. */
async function signInAs(person: TestPerson, providerId = "company", app = made) {
  provider.signInAs(person);
  const { browser, url } = await begin(providerId, undefined, app);
  return finish(await followSignIn(url, redirectUri), browser, app);
}

const verified = (name: string, more: Partial<TestPerson> = {}): TestPerson => ({
  sub: name,
  name,
  email: `${name}@example.com`,
  email_verified: true,
  ...more,
});

const tenantsOf = async (token: string): Promise<string[]> => {
  const answer = await made.app.inject({ url: "/api/v1/tenants", headers: { authorization: `Bearer ${token}` } });
  return answer
    .json<{ items: { code: string }[] }>()
    .items.map(({ code }) => code)
    .toSorted();
};

test("the sign-in offers the providers, without their secrets", async () => {
  const answer = await made.app.inject({ url: "/api/v1/sign-in-options" });
  expect(answer.json()).toMatchObject({
    providers: [
      { id: "company", kind: "oidc", name: "Company" },
      { id: "mapped", kind: "auth0", name: "Auth0" },
    ],
  });
  expect(answer.body).not.toContain("secret");
});

test("a name that is none here is left out, and keeps nobody out", async () => {
  const answer = await signInAs(verified("lina", { name: "Lina\r\nBcc: a@example.com" }));
  expect(answer.json()).toMatchObject({ user: { email: "lina@example.com", name: "" } });
});

test("whoever the provider proves gets a session, the same account each time", async () => {
  const first = await signInAs(verified("nora"));
  expect(first.json()).toMatchObject({ user: { email: "nora@example.com", name: "nora", role: ["viewer"] } });
  expect(first.cookies.find(({ name }) => name === "crossdock_refresh")).toMatchObject({ httpOnly: true, sameSite: "Strict" });
  const again = await signInAs(verified("nora", { email: "renamed@example.com" }));
  expect(again.json<{ user: object }>().user).toEqual(first.json<{ user: object }>().user);
});

const eventsOf = async (answer: Awaited<ReturnType<typeof finish>>) => {
  const listed = await made.call("admin", "GET", `/api/v1/audit-events?requestId=${String(answer.headers["x-request-id"])}`);
  return listed.json<{ items: object[] }>().items;
};

test("a session that a provider vouched for ends a day later, however much it is used, and is over at once then", async () => {
  const token = (await signInAs(verified("dora"))).json<{ access_token: string }>().access_token;
  const owner = made.pool("owner", 1);
  const ofDora = `session.user_id = (select id from hub."user" where email = 'dora@example.com')`;
  const { rows } = await owner.query(
    `select is_remembered as "isRemembered", ends_at - created_at = interval '24 hours' and expires_at = ends_at as "isBounded" from hub.session where ${ofDora}`,
  );
  expect(rows).toEqual([{ isRemembered: true, isBounded: true }]);
  expect(await tenantsOf(token)).toEqual([]);
  await owner.query(`update hub.session set expires_at = now() where ${ofDora}`);
  const answer = await made.app.inject({ url: "/api/v1/tenants", headers: { authorization: `Bearer ${token}` } });
  expect(answer.json()).toMatchObject({ code: "token-invalid" });
});

test("each sign-in is one audit event, which also tells that the account is new and what its groups gave", async () => {
  const about = { action: "finishProviderSignIn", outcome: "done", targetKind: "users" };
  const first = await eventsOf(await signInAs(verified("uma", { groups: ["ops"] }), "mapped"));
  expect(first).toMatchObject([
    { ...about, actorName: "uma", after: { provider: "mapped", isNew: true, isRemembered: true, role: "user", tenants: ["acme"] } },
  ]);
  const again = await eventsOf(await signInAs(verified("uma", { groups: ["ops"] }), "mapped"));
  expect(again).toMatchObject([{ ...about, after: { isNew: false } }]);
  expect(JSON.stringify(again)).not.toContain("tenants");
});

test("PKCE, state and nonce go along, and nothing of them is the same twice", async () => {
  const [one, two] = [new URL((await begin()).url).searchParams, new URL((await begin()).url).searchParams];
  expect(one.get("code_challenge_method")).toBe("S256");
  expect(one.get("redirect_uri")).toBe(redirectUri);
  for (const part of ["state", "nonce", "code_challenge"]) {
    expect(one.get(part)?.length).toBeGreaterThanOrEqual(43);
    expect(one.get(part)).not.toBe(two.get(part));
  }
});

test("an answer works once, in the browser that asked, with its own state", async () => {
  provider.signInAs(verified("olga"));
  const { browser, url } = await begin();
  const query = await followSignIn(url, redirectUri);
  const refused = { status: 401, code: "provider-refused" };
  // Somebody slips their own answer to another browser, or begins a sign-in of their own to use it.
  expect((await finish(query, { cookie: "" })).json()).toMatchObject(refused);
  const other = await begin();
  expect((await finish(query, other.browser)).json()).toMatchObject(refused);
  const foreign = new URLSearchParams(query);
  foreign.set("state", new URL(other.url).searchParams.get("state") ?? "");
  expect((await finish(String(foreign), other.browser)).json()).toMatchObject(refused);
  // None of that has cost the person who asked their sign-in.
  expect((await finish(query, browser)).statusCode).toBe(200);
});

test("nobody is slipped the answer to a sign-in that was begun with an empty cookie", async () => {
  provider.signInAs(verified("mallory"));
  const { url } = await begin("company", { cookie: "" }, made, { cookie: "crossdock_flow=" });
  const query = await followSignIn(url, redirectUri);
  expect((await finish(query, { cookie: "" })).json()).toMatchObject({ status: 401, code: "provider-refused" });
});

test("nor one that a neighbouring host has set a second cookie for", async () => {
  provider.signInAs(verified("mallory"));
  const { browser, url } = await begin();
  const query = await followSignIn(url, redirectUri);
  const cookie = `crossdock_flow=${browser.cookie}; crossdock_flow=own`;
  expect((await finish(query, { cookie: "" }, made, { cookie })).json()).toMatchObject({ status: 401, code: "provider-refused" });
});

test("another site neither begins nor ends a sign-in", async () => {
  provider.signInAs(verified("olaf"));
  const elsewhere = { "sec-fetch-site": "cross-site" };
  expect((await begin("company", undefined, made, elsewhere)).answer.statusCode).toBe(400);
  const { browser, url } = await begin();
  const query = await followSignIn(url, redirectUri);
  expect((await finish(query, browser, made, elsewhere)).statusCode).toBe(400);
  expect((await finish(query, browser)).statusCode).toBe(200);
});

const flowOf = async (app: TestApp) => (await begin("company", undefined, app)).answer.cookies[0];

test("what binds a sign-in to its browser no script reads, no other site sends, and under https nothing but TLS carries", async () => {
  const safe = { httpOnly: true, sameSite: "Strict", path: "/api/v1/session", maxAge: 600 };
  expect(await flowOf(made)).toMatchObject({ ...safe, name: "crossdock_flow" });
  const secure = await start({ CROSSDOCK_PUBLIC_URL: "https://console.example" });
  expect(await flowOf(secure)).toMatchObject({ ...safe, name: "__Secure-crossdock_flow", secure: true });
  await secure.close();
});

test("who does not want to be remembered is not", async () => {
  provider.signInAs(verified("paula"));
  const { browser, url } = await begin("company", undefined, made, {}, false);
  const answer = await finish(await followSignIn(url, redirectUri), browser);
  expect(answer.cookies.find(({ name }) => name === "crossdock_refresh")?.maxAge).toBeUndefined();
});

test("an answer that was used is worth nothing", async () => {
  provider.signInAs(verified("paul"));
  const { browser, url } = await begin();
  const query = await followSignIn(url, redirectUri);
  const answers = await Promise.all(Array.from({ length: 10 }, () => finish(query, browser)));
  expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1);
  expect((await finish(query, browser)).statusCode).toBe(401);
});

test.each([
  ["another nonce", "nonce = 'another'"],
  ["another PKCE verifier", "code_verifier = repeat('x', 43)"],
  ["ten minutes", "expires_at = now()"],
])("an answer after %s is refused", async (_, change) => {
  provider.signInAs(verified("quinn"));
  const { browser, url } = await begin();
  const query = await followSignIn(url, redirectUri);
  await made.pool("owner", 1).query(`update hub.oidc_flow set ${change}`);
  expect((await finish(query, browser)).json()).toMatchObject({ code: "provider-refused" });
});

test("who turns back at the provider is told so, and nothing is left open", async () => {
  provider.signInAs(null);
  const { browser, url } = await begin();
  expect((await finish(await followSignIn(url, redirectUri), browser)).json()).toMatchObject({ status: 401, code: "provider-refused" });
});

test("an address that the provider has not verified makes and finds no account", async () => {
  const liar = { sub: "liar", email: "admin@example.com", email_verified: false };
  expect((await signInAs(liar)).json()).toMatchObject({ code: "provider-refused" });
  expect((await signInAs({ sub: "mute" })).json()).toMatchObject({ code: "provider-refused" });
});

test("a verified address finds its account; a disabled one stays out", async () => {
  expect((await signInAs(verified("viewer"))).json()).toMatchObject({ user: { _id: "3", role: ["viewer"] } });
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set is_active = false where id = 3`);
  const refused = await signInAs(verified("viewer"));
  expect(refused.json()).toMatchObject({ code: "provider-refused" });
  expect(await eventsOf(refused)).toMatchObject([
    { outcome: "denied", targetKind: "users", targetId: "3", after: { provider: "company" } },
  ]);
  await owner.query(`update hub."user" set is_active = true where id = 3`);
});

test("a person whom two issuers name alike is two persons", async () => {
  await made.pool("owner", 1).query(`insert into hub.identity (issuer, subject, user_id) values ('https://elsewhere.example', 'zoe', 1)`);
  expect((await signInAs(verified("zoe"))).json()).toMatchObject({ user: { email: "zoe@example.com", role: ["viewer"] } });
});

test("a sign-in that is refused links nothing to the account", async () => {
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set is_active = false where id = 4`);
  expect((await signInAs(verified("stranger"))).statusCode).toBe(401);
  await owner.query(`update hub."user" set is_active = true where id = 4`);
  expect((await owner.query("select from hub.identity where user_id = 4")).rowCount).toBe(0);
});

test("without a mapping a sign-in takes nothing of what an admin has granted", async () => {
  const answer = await signInAs(verified("user", { groups: ["boss"] }));
  expect(answer.json()).toMatchObject({ user: { _id: "2", role: ["user"] } });
  expect(await tenantsOf(answer.json<{ access_token: string }>().access_token)).toEqual(["acme"]);
});

/** What Rita gets when the provider says that she is in these groups. */
const enter = async (...names: string[]) => {
  const answer = await signInAs(verified("rita", { groups: names }), "mapped");
  const { access_token: token, user } = answer.json<{ access_token: string; user: { role: string[] } }>();
  return { role: user.role[0], tenants: await tenantsOf(token) };
};

test("groups give role and tenants with every sign-in, and take them", async () => {
  expect(await enter("ops", "unknown", "constructor")).toEqual({ role: "user", tenants: ["acme"] });
  expect(await enter("shop-readers")).toEqual({ role: "viewer", tenants: ["acme", "other"] });
  expect(await enter("ops", "boss")).toEqual({ role: "admin", tenants: ["acme", "other"] });
  expect(await enter()).toEqual({ role: "viewer", tenants: [] });
});

test("an admin's edit is overtaken by a sign-in whose groups changed something, and by no other", async () => {
  const sql = `select version from hub."user" where email = 'rita@example.com'`;
  const version = async () => (await made.pool("owner", 1).query<{ version: number }>(sql)).rows[0]?.version ?? 0;
  await enter("ops");
  const before = await version();
  await enter("ops");
  expect(await version()).toBe(before);
  await enter("shop-readers");
  expect(await version()).toBe(before + 1);
});

test("without a mapping groups give nothing", async () => {
  expect((await signInAs(verified("sven", { groups: ["boss"] }))).json()).toMatchObject({ user: { role: ["viewer"] } });
});

const enterAsAdmin = () => signInAs(verified("admin", { groups: [] }), "mapped");

test("the last admin stays admin, whatever their groups say", async () => {
  await made.pool("owner", 1).query(`update hub."user" set role = 'viewer' where role = 'admin' and id <> 1`);
  expect((await enterAsAdmin()).json()).toMatchObject({ user: { role: ["admin"] } });
  // One who is disabled could let nobody in again.
  await made.pool("owner", 1).query(`update hub."user" set role = 'admin', is_active = false where id = 2`);
  expect((await enterAsAdmin()).json()).toMatchObject({ user: { role: ["admin"] } });
  await made.pool("owner", 1).query(`update hub."user" set role = 'user', is_active = true where id = 2`);
  // Nor one who was invited and has never come.
  await made.pool("owner", 1).query(`insert into hub."user" (email, name, role) values ('invited@example.com', 'Ida', 'admin')`);
  expect((await enterAsAdmin()).json()).toMatchObject({ user: { role: ["admin"] } });
  await made.pool("owner", 1).query(`update hub."user" set role = 'viewer' where email = 'invited@example.com'`);
});

test("of the last two admins who sign in at once, one stays admin", async () => {
  const { pools } = made.deps;
  const owner = made.pool("owner", 1);
  await owner.query(`update hub."user" set role = 'admin' where id in (1, 2)`);
  const mapped = made.deps.config.providers.find(({ id }) => id === "mapped");
  if (!mapped) throw new Error("no provider");
  const enterAs = (subject: string, hold: Promise<void>) =>
    inTenant(pools.app, installation, async (client) => {
      const proven = { issuer: mapped.issuer, subject: `last ${subject}`, email: `${subject}@example.com`, name: null, groups: [] };
      await personOf(client, mapped, proven, false);
      applied.resolve();
      await hold;
    });
  const [applied, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = enterAs("admin", release.promise);
  await applied.promise;
  let isThrough = false;
  const second = enterAs("user", Promise.resolve()).then(() => (isThrough = true));
  await expect.poll(async () => isThrough || (await waitingForLocks(owner)) === 1).toBe(true);
  release.resolve();
  await Promise.all([first, second]);
  const { rows } = await owner.query(`select id from hub."user" where role = 'admin' and is_active`);
  expect(rows).toEqual([{ id: 2 }]);
});

function companyProvider(): Provider {
  const company = made.deps.config.providers.find(({ id }) => id === "company");
  if (!company) throw new Error("no provider");
  return company;
}

test.each(["unknown", "invited"])("a person who is %s and signs in twice at once has one account", async (kind) => {
  const { pools } = made.deps;
  const owner = made.pool("owner", 1);
  const company = companyProvider();
  const email = `twice-${kind}@example.com`;
  if (kind === "invited") await owner.query(`insert into hub."user" (email, name, role) values ($1, 'Tove', 'user')`, [email]);
  const proven = { issuer: company.issuer, subject: `twice ${kind}`, email, name: "Tove", groups: [] };
  const [entered, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const enterHolding = (hold: Promise<void>) =>
    inTenant(pools.app, installation, async (client) => {
      const { userId } = await personOf(client, company, proven, true);
      entered.resolve();
      await hold;
      return userId;
    });
  const first = enterHolding(release.promise);
  await entered.promise;
  const second = enterHolding(Promise.resolve());
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  release.resolve();
  expect(await second).toBe(await first);
});

test("whose invitation is taken back while they sign in for the first time gets an account of their own", async () => {
  const owner = made.pool("owner", 2);
  const email = "taken-back@example.com";
  await owner.query(`insert into hub."user" (email, name, role) values ($1, 'Tove', 'user')`, [email]);
  const company = companyProvider();
  const proven = { issuer: company.issuer, subject: "taken back", email, name: "Tove", groups: [] };
  const taking = await owner.connect();
  await taking.query("begin");
  await taking.query(`delete from hub."user" where email = $1`, [email]);
  const entering = inTenant(made.deps.pools.app, installation, (client) => personOf(client, company, proven, true));
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  await taking.query("commit");
  taking.release();
  expect(await entering).toMatchObject({ told: { isNew: true } });
});

test("where nobody may sign up, only members of a group get an account", async () => {
  const closed = await start({ CROSSDOCK_SIGN_UP: "0" });
  expect((await signInAs(verified("tom"), "company", closed)).json()).toMatchObject({ status: 403, code: "sign-up-closed" });
  // Neither name is one of the mapping's, though every object knows the second.
  const strangers = verified("tom", { groups: ["unknown", "constructor"] });
  expect((await signInAs(strangers, "mapped", closed)).json()).toMatchObject({ code: "sign-up-closed" });
  expect((await signInAs(verified("tom", { groups: ["ops"] }), "mapped", closed)).statusCode).toBe(200);
  await closed.close();
});

test("a provider that isn't there is told as such", async () => {
  const away = await testApp({
    CROSSDOCK_PUBLIC_URL: "http://console.example",
    CROSSDOCK_OIDC: JSON.stringify([{ ...testClient, id: "away", issuer: "http://127.0.0.1:9" }]),
  });
  expect((await begin("away", undefined, away)).answer.json()).toMatchObject({ status: 503, code: "unavailable" });
  expect((await begin("nobody", undefined, away)).answer.statusCode).toBe(404);
  await away.close();
});

test("everybody who waits for a provider's description is told that it is away", async () => {
  const config = readConfig({
    CROSSDOCK_PUBLIC_URL: "http://console.example",
    CROSSDOCK_OIDC: JSON.stringify([{ ...testClient, id: "away", issuer: "http://127.0.0.1:9" }]),
  });
  const client = createProviderClient({ config, logger: made.deps.logger });
  const begun = await Promise.allSettled(config.providers.flatMap((away) => [client.begin(away), client.begin(away)]));
  const told = { status: "rejected", reason: { code: "unavailable" } };
  expect(begun).toMatchObject([told, told]);
  await client.close();
});

test.each([
  ["no JSON", "not json", "JSON list"],
  ["plain http", `[{"id":"x","clientId":"x","issuer":"http://login.example.com"}]`, "https"],
  ["plain http at a name that looks like this machine", `[{"id":"x","clientId":"x","issuer":"http://127.0.0.1.example.com"}]`, "https"],
  ["no issuer", `[{"id":"x","clientId":"x","kind":"auth0"}]`, "needs an issuer"],
  ["two of one id", `[{"id":"x","clientId":"x","kind":"firebase"},{"id":"x","clientId":"y","kind":"firebase"}]`, "same id"],
  ["an unknown role", `[{"id":"x","clientId":"x","kind":"firebase","groups":{"a":{"role":"root"}}}]`, "CROSSDOCK_OIDC: 0.groups.a.role: "],
  ["a field left out", `[{"id":"x","clientId":"x","kind":"firebase"},{"id":"y","kind":"firebase"}]`, "CROSSDOCK_OIDC: 1.clientId: "],
])("a setting with %s stops the start with the reason", (_, text, reason) => {
  expect(() => readConfig({ CROSSDOCK_OIDC: text, CROSSDOCK_PUBLIC_URL: "https://hub.example.com" })).toThrow(reason);
});

test("providers need to know where to return to", () => {
  expect(() => readConfig({ CROSSDOCK_OIDC: `[{"id":"x","clientId":"x","kind":"firebase"}]` })).toThrow("CROSSDOCK_PUBLIC_URL");
});
