import type * as Dns from "node:dns";
import { once } from "node:events";
import { globSync, readFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { testDatabase, testSecret } from "@crossdock/db/testing";
import { createTransport } from "nodemailer";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig, type Config } from "./config.ts";
import { parseAllowList } from "./egress/addresses.ts";
import { StartError } from "./installation/start-error.ts";
import { createEgress } from "./egress/egress.ts";
import { EgressError } from "./egress/egress-error.ts";
import { createMail } from "./mails/mail.ts";
import { startTracing } from "./otel/tracing.ts";
import { startServer } from "./server.ts";
import { createProviderClient } from "./session/providers.ts";
import { lyingProviderClient, startLyingProvider, type Lies, type LyingProvider } from "./session/testing.ts";
import { testApp, type TestApp } from "./testing/test-app.ts";

/** Every way on which the server calls out, tried with every way of naming this machine; a canary that listens there must see nothing. */

const rebinding = "rebind.example";
let asked = 0;
vi.mock("node:dns", async (original) => {
  const dns = await original<typeof Dns>();
  /** Names below `rebinding` turn to loopback, each time in another manner; of several addresses one is harmless. */
  const lookup = (host: string, options: object, done: (error: Error | null, addresses: object[]) => void): void => {
    if (!host.endsWith(rebinding)) return dns.lookup(host, options, done as never);
    const ways = [
      [{ address: "127.0.0.1", family: 4 }],
      [{ address: "::ffff:127.0.0.1", family: 6 }],
      [
        { address: "8.8.8.8", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ],
    ];
    done(null, ways[(asked += 1) % ways.length] ?? []);
  };
  return { ...dns, lookup };
});

const hosts = [
  "127.0.0.1",
  "2130706433",
  "0x7f000001",
  "0x7f.0.0.1",
  "0177.0.0.1",
  "017700000001",
  "127.1",
  "127.0.1",
  "0",
  "0.0.0.0",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[0:0:0:0:0:ffff:7f00:0001]",
  "[64:ff9b::7f00:1]",
  "[::127.0.0.1]",
  "localhost",
  "localhost.",
  "LOCALHOST",
  "127.0.0.1.",
  "①②⑦.⓪.⓪.①",
  "127。0。0。1",
  "user:pass@127.0.0.1",
  "shop.example@127.0.0.1",
  "127.0.0.1%00.example",
  rebinding,
  `a.${rebinding}`,
  `b.${rebinding}`,
];
const urls = (scheme: string): string[] => hosts.map((host) => `${scheme}://${host}:${port}`);
/** One of each kind, where each costs more. */
const someUrls = (): string[] => urls("http").filter((_, index) => index % 4 === 0);

let seen = 0;
let canary: Server;
let port: number;
let made: TestApp;
const cleanUps: (() => void)[] = [];

beforeAll(async () => {
  canary = createServer((_request, response) => response.end("seen"));
  canary.on("connection", () => (seen += 1));
  port = await listen(canary);
  made = await testApp();
});
afterAll(async () => {
  await made.close();
  for (const cleanUp of cleanUps) cleanUp();
  canary.closeAllConnections();
  canary.close();
});

async function listen(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A site that may be reached, though it is on this machine. */
async function allowedSite(listener: RequestListener): Promise<string> {
  const site = createServer(listener);
  cleanUps.push(() => {
    site.closeAllConnections();
    site.close();
  });
  return `127.0.0.1:${await listen(site)}`;
}

test("the canary sees what is allowed to reach it, so that it would see the rest", async () => {
  const egress = createEgress({ allow: parseAllowList([`127.0.0.1:${port}`]) });
  const answer = await egress.send({ method: "GET", url: `http://127.0.0.1:${port}/`, headers: {}, body: null });
  expect(answer.body).toBe("seen");
  await egress.close();
  expect(seen).toBe(1);
  seen = 0;
});

test("nothing of the server opens a connection but egress, the database's driver, and mail by a socket of egress", () => {
  const files = globSync("apps/server/src/**/*.ts").filter((file) => !/\.test\.ts$|\/testing[^/]*\.ts$|\/egress\//.test(file));
  expect(files.length).toBeGreaterThan(100);
  const ways =
    /\bfetch\(|\bnew (WebSocket|EventSource)\b|from "undici"|import(?! type) [^;]*from "node:(https|http2|tls|dgram|dns|dns\/promises)"/;
  const sockets = /import(?! type) \{[^}]*\b(connect|createConnection|Socket|request|get|Agent)\b[^}]*\} from "node:(net|http)"/;
  const found = files.filter((file) => {
    const text = readFileSync(file, "utf8");
    return ways.test(text) || sockets.test(text) || (/createTransport\(/.test(text) && !/getSocket/.test(text));
  });
  expect(found).toEqual([]);
});

test("egress refuses every name of this machine", async () => {
  const egress = createEgress({ allow: parseAllowList([]) });
  for (const url of [...urls("http"), ...urls("https")]) {
    await expect(egress.send({ method: "GET", url, headers: {}, body: null })).rejects.toMatchObject({ name: "EgressError" });
  }
  await egress.close();
  expect(seen).toBe(0);
});

test("a connection test reaches none of them", async () => {
  for (const url of urls("http")) {
    const body = { connector: "centra", settings: { url }, credentials: {} };
    const answer = await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points/test", body);
    expect([200, 400]).toContain(answer.statusCode);
    expect(answer.body).not.toContain("seen");
  }
  expect(seen).toBe(0);
});

test("deliveries, the tokens they need and pulls from sources reach none of them", async () => {
  const database = await testDatabase();
  const sink = await allowedSite((_request, response) => response.end("{}"));
  const config = readConfig({
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_PORT: "0",
    CROSSDOCK_SECRET: testSecret,
    CROSSDOCK_ADMIN_PASSWORD: "canary horse battery",
    CROSSDOCK_EGRESS_ALLOW: sink,
    DATABASE_URL: database.ownerUrl,
  });
  const server = await startServer(config, pino({ level: "silent" }));
  let authorization = "";
  async function call(method: string, path: string, body?: object): Promise<{ status: number; json: Record<string, unknown> }> {
    const headers = { ...(authorization && { authorization }), ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`${server.url}/${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
  }
  const session = await call("POST", "api/v1/session", {
    email: config.adminEmail,
    password: "canary horse battery",
  });
  authorization = `Bearer ${String(session.json.access_token)}`;
  await call("POST", "api/v1/tenants", { code: "acme", name: "Acme" });
  const base = "api/v1/tenants/acme";
  await call("POST", `${base}/subtenants`, { code: "shop", name: "Shop" });
  const retry = { maxAttempts: 1, baseDelayMs: 100, maxDelayMs: 1000 };
  const make = (body: object) => call("POST", `${base}/integration-points`, { subtenantCode: "shop", retry, ...body });

  let targets = 0;
  for (const [index, url] of urls("http").entries()) {
    const target = { connector: "centra", targetTypes: ["item"] };
    const ways = [
      { code: `to-${index}`, settings: { url, auth: "none" }, credentials: {} },
      {
        code: `token-${index}`,
        settings: { url: `http://${sink}/`, auth: "oauth2-client-credentials", tokenUrl: `${url}/token` },
        credentials: { clientId: "a", clientSecret: "b" },
      },
    ];
    for (const way of ways.slice(0, someUrls().includes(url) ? 2 : 1))
      targets += (await make({ ...target, ...way, name: way.code })).status === 201 ? 1 : 0;
  }
  expect(targets).toBeGreaterThan(20);
  const runs: number[] = [];
  for (const [index, url] of someUrls().entries()) {
    const source = { connector: "magento", sourceTypes: ["order"], settings: { baseUrl: url } };
    const point = await make({ ...source, code: `from-${index}`, name: "Source", credentials: { accessToken: "a" } });
    if (point.status !== 201) continue;
    const schedule = { integrationPointId: point.json.id, entityType: "order", everySeconds: 86_400 };
    const { id } = (await call("POST", `${base}/schedules`, schedule)).json;
    runs.push(Number((await call("POST", `${base}/schedules/${String(id)}/run`)).json.id));
  }
  expect(runs.length).toBeGreaterThanOrEqual(5);
  const erp = {
    connector: "sitoo",
    code: "erp",
    name: "ERP",
    sourceTypes: ["item"],
    settings: { url: `http://${sink}` },
  };
  expect((await make(erp)).status).toBe(201);
  // The gateway learns of it a moment later, and knows all that were made before it then.
  const item = { schemaVersion: 1, sku: "a-1", name: "Lamp" };
  const push = async () => (await call("POST", "sitoo/items?tenant=acme&subtenant=shop&integrationPoint=erp", item)).status;
  await expect.poll(push).toBe(202);

  const dead = async () => ((await call("GET", `${base}/dead-letters?limit=200`)).json.items as unknown[]).length;
  await expect.poll(dead, { timeout: 60_000 }).toBe(targets);
  const stateOf = async (id: number) => (await call("GET", `${base}/runs/${id}`)).json.state;
  for (const id of runs) await expect.poll(() => stateOf(id), { timeout: 60_000 }).toBe("failed");
  await server.stop();
  await database.drop();
  expect(seen).toBe(0);
}, 120_000);

const logger = pino({ level: "silent" });

/** A configuration, or null for one that the start would refuse. */
function configOf(environment: Record<string, string>): Config | null {
  try {
    return readConfig({ CROSSDOCK_DEMO: "0", CROSSDOCK_PUBLIC_URL: "https://hub.example.com", ...environment });
  } catch (error) {
    if (error instanceof StartError) return null;
    throw error;
  }
}

const providersOf = (issuer: string, more: Record<string, string> = {}): Config | null =>
  configOf({ CROSSDOCK_OIDC: JSON.stringify([{ id: "lure", clientId: "crossdock", clientSecret: "a secret", issuer }]), ...more });

test("a sign-in provider that the settings name is not looked for on this machine, unless that is allowed", async () => {
  let tried = 0;
  for (const issuer of [...urls("https"), ...urls("http")]) {
    // What deliveries may reach is no allowance.
    const config = providersOf(issuer, { CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${port},localhost:${port}` });
    const [provider] = config?.providers ?? [];
    if (!config || !provider) continue;
    tried += 1;
    const client = createProviderClient({ config, logger });
    await expect(client.begin(provider)).rejects.toMatchObject({ code: "unavailable" });
    await client.close();
  }
  expect(tried).toBeGreaterThan(20);
  expect(seen).toBe(0);
});

/** A sign-in at a provider that may be reached, but lies. */
async function signInAt(provider: LyingProvider, lies: Lies) {
  const client = lyingProviderClient(provider);
  try {
    return await client.signIn(lies);
  } finally {
    await client.close();
  }
}

test.each(["token_endpoint", "jwks_uri", "userinfo_endpoint", "redirect"] as const)(
  "a sign-in provider leads the server to none of them by its %s",
  async (part) => {
    const provider = await startLyingProvider();
    // Without a lie the sign-in works, so that it is the lie that fails.
    expect(await signInAt(provider, {})).toMatchObject({ subject: "somebody" });
    for (const url of urls("http"))
      await expect(signInAt(provider, { [part]: `${url}/` })).rejects.toMatchObject({ code: "provider-refused" });
    provider.close();
    expect(seen).toBe(0);
  },
);

function canRead(url: string): boolean {
  try {
    createTransport({ url }).close();
    return true;
  } catch {
    return false;
  }
}

test("a collector of traces that the settings name is not looked for on this machine, unless that is allowed", async () => {
  let ended = 0;
  for (const url of urls("http")) {
    const config = configOf({ OTEL_EXPORTER_OTLP_ENDPOINT: url, CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${port},localhost:${port}` });
    const endpoint = config?.otel.endpoint;
    if (!config || !endpoint || !URL.canParse(endpoint)) continue;
    // An address is refused at the start, a name with each try.
    const tracing = attempt(() => startTracing(config, endpoint, logger));
    if (tracing) {
      const arrival = { tenantId: 1, subtenantId: 1, integrationPointId: 1, connector: "centra", channel: "push", headers: {} } as const;
      tracing.receive(arrival)?.end({ externalMessageId: "1", state: "accepted", isDuplicate: false, messageIds: [] });
      await tracing.stop();
    }
    ended += 1;
  }
  expect(ended).toBeGreaterThan(20);
  expect(seen).toBe(0);
});

function attempt<Made>(make: () => Made): Made | null {
  try {
    return make();
  } catch (error) {
    if (error instanceof EgressError) return null;
    throw error;
  }
}

test("webhooks of alerts reach none of them", async () => {
  const base = "/api/v1/tenants/acme/alert-channels";
  let channels = 0;
  for (const url of urls("http")) {
    const answer = await made.call("admin", "POST", base, { name: `To ${url}`.slice(0, 100), kind: "webhook", url });
    if (answer.statusCode !== 201) continue;
    channels += 1;
    const { id } = answer.json<{ id: number }>();
    await made.call("admin", "POST", `${base}/${id}/test`);
    const told = await made.call("admin", "GET", `${base}/${id}/deliveries`);
    expect(told.json<{ items: object[] }>().items[0]).toMatchObject({ status: null });
  }
  expect(channels).toBeGreaterThan(5);
  expect(seen).toBe(0);
});

test("a mail server that the settings name is not looked for on this machine, unless that is allowed", async () => {
  const owner = made.pool("owner", 1);
  const failures: string[] = [];
  for (const url of [...urls("smtp"), ...urls("smtps")]) {
    const config = configOf({ SMTP_URL: url, CROSSDOCK_EGRESS_ALLOW: `127.0.0.1:${port},localhost:${port}` });
    if (!config) continue;
    await owner.query("delete from hub.mail");
    // What nodemailer can't read stops the start.
    if (!canRead(url)) continue;
    const mail = createMail({ ...made.deps, config, logger });
    await mail.write(owner as never, { recipient: "nora@example.com", locale: "en", kind: "password-changed" });
    mail.wake();
    const failure = async () => (await owner.query<{ failure: string | null }>("select failure from hub.mail")).rows[0]?.failure ?? null;
    await expect.poll(failure, { interval: 10 }).not.toBeNull();
    failures.push((await failure()) ?? "");
    await mail.stop();
  }
  expect(failures.length).toBeGreaterThan(20);
  expect(failures.join("\n")).toContain("CROSSDOCK_SERVICE_ALLOW");
  expect(seen).toBe(0);
});
