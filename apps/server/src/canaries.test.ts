import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { routes, type RouteDefinition } from "@crossdock/contract";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import { SMTPServer } from "smtp-server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { startProcess, type TestProcess } from "./testing/process.ts";

/** Long enough to occur nowhere by chance; with characters that change when they are written as part of a URL. */
const canaries: Record<string, string> = {
  adminPassword: "canary admin+password/1!ä",
  basicPassword: "canary basic+password/2!é",
  bearerToken: "canary-bearer+token/3==",
  apiKeyCredential: "canary-api+key/4==",
  installationSecret: testSecret,
  webhookSecret: "canary webhook+secret/5!",
  clientSecret: "canary client+secret/6==",
  sourceToken: "canary-source+token/7==",
  smtpPassword: "canary smtp+password/8!ö",
  providerSecret: "canary provider+secret/9==",
  signUpPassword: "canary sign+up/password 10!",
  invitedPassword: "canary invited+password/11!",
  metricsToken: "canary-metrics+token/12/aa",
};

/** Every form in which a secret may lie around. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  // Within other text a secret's base64 is shifted, so that only its middle is the same.
  const shifted = [0, 1, 2].map((shift) =>
    Buffer.concat([Buffer.alloc(shift), bytes])
      .toString("base64")
      .slice(4, -4),
  );
  const form = new URLSearchParams({ secret }).toString().slice("secret=".length);
  return [secret, encodeURIComponent(secret), form, bytes.toString("hex"), bytes.toString("base64url"), ...shifted];
}

const cleanUps: (() => unknown)[] = [];
let database: TestDatabase;
let server: TestProcess;
let smtp: SMTPServer;
const mails: string[] = [];
/** What was answered, written or kept anywhere, with the place. */
const kept: { where: string; text: string }[] = [];
let authorization = "";

async function site(answer: (request: IncomingMessage, body: string) => { status: number; body: object }): Promise<string> {
  const target = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const answered = answer(request, body);
      const echo = String(request.headers.authorization ?? request.headers["x-api-key"]);
      response.writeHead(answered.status, { "content-type": "application/json", "x-echo": echo });
      response.end(JSON.stringify(answered.body));
    });
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  cleanUps.push(() => (target.closeAllConnections(), target.close()));
  return `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
}

/** A target that repeats what it was told, in an answer and in the text of an error. */
const startEcho = () =>
  site((request, body) => ({ status: 422, body: { error: `refused: ${JSON.stringify(request.headers)} ${request.url} ${body}` } }));

/** A sign-in provider that does so in its errors. */
async function startProvider(): Promise<string> {
  let issuer = "";
  issuer = await site((request, body) =>
    request.url?.startsWith("/.well-known")
      ? {
          status: 200,
          body: { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/jwks` },
        }
      : { status: 400, body: { error: "invalid_client", error_description: `not you: ${body}` } },
  );
  return issuer;
}

/** A mail server that takes some mails and tells what it was told when it refuses the others. */
async function startMailServer(): Promise<string> {
  let secret = "";
  smtp = new SMTPServer({
    disabledCommands: ["STARTTLS"],
    allowInsecureAuth: true,
    onAuth: ({ username = "", password }, _session, done) => {
      secret = password ?? "";
      done(null, { user: username });
    },
    onRcptTo: ({ address }, _session, done) =>
      done(address.startsWith("refused") ? Object.assign(new Error(`no such user for ${secret}`), { responseCode: 550 }) : null),
    onData: (stream, _session, done) => {
      let data = "";
      stream.on("data", (chunk: Buffer) => (data += chunk.toString()));
      stream.on("end", () => (mails.push(data), done()));
    },
  });
  smtp.listen(0, "127.0.0.1");
  await once(smtp.server, "listening");
  cleanUps.push(() => new Promise<void>((resolve) => smtp.close(resolve)));
  return `127.0.0.1:${(smtp.server.address() as AddressInfo).port}`;
}

let echo: string;
let providerUrl: string;
beforeAll(async () => {
  database = await testDatabase();
  echo = await startEcho();
  providerUrl = await startProvider();
  const mailHost = await startMailServer();
  const provider = { id: "lure", clientId: "crossdock", clientSecret: canaries.providerSecret, issuer: providerUrl };
  server = await startProcess({
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_SECRET: testSecret,
    CROSSDOCK_ADMIN_PASSWORD: canaries.adminPassword ?? "",
    CROSSDOCK_EGRESS_ALLOW: new URL(echo).host,
    CROSSDOCK_SERVICE_ALLOW: `${mailHost},${new URL(providerUrl).host}`,
    CROSSDOCK_PUBLIC_URL: "http://hub.example.com",
    CROSSDOCK_OIDC: JSON.stringify([provider]),
    CROSSDOCK_METRICS_PORT: "0",
    CROSSDOCK_METRICS_TOKEN: canaries.metricsToken ?? "",
    CROSSDOCK_LOG_LEVEL: "trace",
    SMTP_URL: `smtp://crossdock:${encodeURIComponent(canaries.smtpPassword ?? "")}@${mailHost}`,
    DATABASE_URL: database.ownerUrl,
  });
}, 120_000);
afterAll(async () => {
  await server?.stop();
  for (const cleanUp of cleanUps) await cleanUp();
  await database?.drop();
});

type Answer = Record<string, unknown> & { status: number; cookies: string };

async function call(method: string, path: string, body?: object | string, more: Record<string, string> = {}): Promise<Answer> {
  const headers = { ...(authorization && { authorization }), ...(body && { "content-type": "application/json" }), ...more };
  const payload = typeof body === "string" ? body : JSON.stringify(body);
  const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: payload }) });
  const text = await answer.text();
  kept.push({ where: `${method} ${path}`, text: `${text} ${JSON.stringify([...answer.headers])}` });
  const isJson = /\/(problem\+)?json/.test(answer.headers.get("content-type") ?? "") && text.startsWith("{");
  const cookies = answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0])
    .join("; ");
  return { ...JSON.parse(isJson ? text : "{}"), status: answer.status, cookies };
}

/** A call whose answer, or whose address, holds a secret by right: it is shown this once, or was put there by the caller. */
async function privately(...asked: Parameters<typeof call>): Promise<Answer> {
  const answer = await call(...asked);
  kept.pop();
  return answer;
}

const base = "/api/v1/tenants/acme";

/** Everything that an event stream says from now on. */
function followEvents(): void {
  const place = { where: "the event stream", text: "" };
  kept.push(place);
  const stopping = new AbortController();
  cleanUps.unshift(() => stopping.abort());
  void fetch(`${server.url}${base}/events`, { headers: { authorization }, signal: stopping.signal })
    .then(async ({ body }) => {
      for await (const chunk of body ?? []) place.text += Buffer.from(chunk as Uint8Array).toString();
    })
    .catch(() => undefined);
}

async function putCredentialsEverywhere(): Promise<void> {
  const retry = { maxAttempts: 1, baseDelayMs: 100, maxDelayMs: 1000 };
  const target = { subtenantCode: "shop", connector: "centra", targetTypes: ["item"], retry };
  const [clientId, clientSecret] = ["crossdock", canaries.clientSecret];
  const ways = [
    { code: "basic", settings: { url: echo, auth: "basic" }, credentials: { username: "crossdock", password: canaries.basicPassword } },
    { code: "bearer", settings: { url: echo, auth: "bearer" }, credentials: { token: canaries.bearerToken } },
    { code: "key", settings: { url: echo, auth: "api-key" }, credentials: { apiKey: canaries.apiKeyCredential } },
    {
      code: "oauth",
      settings: { url: echo, auth: "oauth2-client-credentials", tokenUrl: `${echo}/token` },
      credentials: { clientId, clientSecret },
    },
  ];
  for (const way of ways) {
    const made = await call("POST", `${base}/integration-points`, { ...target, ...way, name: way.code });
    expect(made.status).toBe(201);
    await call("PATCH", `${base}/integration-points/${String(made.id)}`, { name: `${way.code} renamed`, credentials: way.credentials });
    await call("POST", `${base}/integration-points/test`, { connector: "centra", settings: way.settings, credentials: way.credentials });
    const tried = await call("POST", `${base}/toolbox-runs`, { operation: "test-connection", integrationPointId: made.id });
    expect(tried.status).toBe(201);
  }
  const source = { ...target, sourceTypes: target.targetTypes, targetTypes: [], retry: undefined };
  await call("POST", `${base}/integration-points`, { ...source, connector: "sitoo", code: "erp", name: "ERP", settings: { url: echo } });
  const magento = await call("POST", `${base}/integration-points`, {
    ...source,
    connector: "magento",
    code: "polled",
    name: "Polled",
    sourceTypes: ["order"],
    targetTypes: ["order"],
    settings: { baseUrl: echo },
    credentials: { accessToken: canaries.sourceToken },
  });
  const schedule = await call("POST", `${base}/schedules`, { integrationPointId: magento.id, entityType: "order", everySeconds: 86_400 });
  const run = await call("POST", `${base}/schedules/${String(schedule.id)}/run`);
  await expect.poll(async () => (await call("GET", `${base}/runs/${String(run.id)}`)).state).toBe("failed");
  const shopify = await call("POST", `${base}/integration-points`, {
    ...source,
    connector: "shopify",
    code: "hooked",
    name: "Hooked",
    settings: { shopUrl: echo },
    credentials: { webhookSecret: canaries.webhookSecret },
  });
  const body = JSON.stringify({ id: 1 });
  const signed = createHmac("sha256", canaries.webhookSecret ?? "")
    .update(body)
    .digest("base64");
  for (const signature of [signed, canaries.webhookSecret ?? ""])
    await call("POST", `/hooks/${String(shopify.hookId)}`, body, {
      "x-shopify-hmac-sha256": signature,
      "x-shopify-topic": "products/update",
    });
}

/** A webhook that repeats what it is told; answers its secret, which is shown once. */
async function putWebhookSecret(): Promise<string> {
  const channel = await privately("POST", `${base}/alert-channels`, { name: "Echo", kind: "webhook", url: `${echo}/alerts` });
  expect(channel.status).toBe(201);
  const channelBase = `${base}/alert-channels/${String(channel.id)}`;
  await call("POST", `${channelBase}/test`);
  const told = async () => (await call("GET", `${channelBase}/deliveries`)).items as { status: number | null }[];
  await expect.poll(async () => (await told())[0]?.status).toBe(422);
  return String(channel.secret);
}

const codeIn = () => mails.map((mail) => /Your code is (\d{6})/.exec(mail)?.[1]).find((code) => code !== undefined);

/** Accounts by sign-up and invitation; answers what a code or link would give away. */
async function putPasswordsEverywhere(): Promise<Record<string, string>> {
  const person = { name: "Nora", email: "nora@example.com", password: canaries.signUpPassword, locale: "en" };
  const asked = await call("POST", "/api/v1/sign-up", person);
  await call("POST", "/api/v1/sign-up", { ...person, email: "refused@example.com" });
  await expect.poll(codeIn).toBeDefined();
  const code = codeIn() ?? "";
  expect((await call("POST", "/api/v1/sign-up/confirmation", { attemptId: asked.attemptId, code })).status).toBe(204);
  const { link } = await privately("POST", "/api/v1/users", { email: "guest@example.com" });
  const invitation = String(link).split("#")[1] ?? "";
  await expect.poll(() => mails.some((mail) => mail.replaceAll("=\r\n", "").includes(invitation))).toBe(true);
  await call("POST", "/api/v1/invitation", { token: invitation, name: "Guest", password: canaries.invitedPassword });
  const tokens = await privately("POST", "/api/v1/tokens", { email: "guest@example.com", password: canaries.invitedPassword });
  // Passwords are typed into the wrong field, too.
  await call("POST", "/api/v1/session", { email: canaries.invitedPassword, password: canaries.signUpPassword });
  const { url, cookies } = await call("POST", "/api/v1/session/providers/lure", { remember: false });
  const state = new URL(String(url)).searchParams.get("state") ?? "";
  const finished = await call("POST", "/api/v1/session/providers", { query: `code=abc&state=${state}` }, { cookie: cookies });
  expect(finished.code).toBe("provider-refused");
  return { invitation, guestAccessToken: String(tokens.access_token), guestRefreshToken: String(tokens.refresh_token) };
}

/** Every list, object and export that there is to read. */
async function readEverything(deadId: string, jobId: string): Promise<void> {
  for (const { method, path, query, contentTypes } of Object.values<RouteDefinition>(routes)) {
    if (method !== "GET" || contentTypes?.includes("text/event-stream") || path.startsWith("/gateway")) continue;
    const place = path
      .replace(":tenantCode", "acme")
      .replace(":subtenantCode", "shop")
      .replace(":messageId", deadId)
      .replace(":jobId", jobId)
      .replace(/:\w+/g, "1");
    const hasDocuments = query instanceof z.ZodObject && "documents" in query.shape;
    const forms = path.endsWith("/export") ? [`?format=csv${hasDocuments ? "&documents=true" : ""}`, "?format=ndjson"] : [""];
    for (const form of forms) await call(method, `${place}${form}`);
  }
  const metrics = await fetch(server.metricsUrl ?? "", { headers: { authorization: `Bearer ${canaries.metricsToken}` } });
  expect(metrics.status).toBe(200);
  kept.push({ where: "the metrics", text: await metrics.text() });
}

async function readDatabase(): Promise<void> {
  const owner = database.pool("owner", 1);
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('hub', 'queue', 'public') and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const { rows } = await owner.query<{ text: string }>(`select to_jsonb(t)::text as text from ${name} t`);
    kept.push({ where: name, text: rows.map(({ text }) => text).join("\n") });
  }
}

test("secrets that are put everywhere are found nowhere", async () => {
  const admin = { email: "admin@crossdock.local", password: canaries.adminPassword };
  const session = await privately("POST", "/api/v1/session", admin);
  authorization = `Bearer ${String(session.access_token)}`;
  await call("POST", "/api/v1/tenants", { code: "acme", name: "Acme" });
  await call("POST", `${base}/subtenants`, { code: "shop", name: "Shop" });
  await call("PATCH", `${base}/subtenants/shop/switches`, { debugMode: true });
  followEvents();
  await putCredentialsEverywhere();
  const alertSecret = await putWebhookSecret();
  expect(alertSecret.length).toBeGreaterThan(12);
  const given: Record<string, string> = { ...(await putPasswordsEverywhere()), alertSecret };
  const apiKey = String((await privately("POST", `${base}/api-keys`, { name: "worker" })).key);
  expect(apiKey).toMatch(/^cdk_/);
  const item = { schemaVersion: 1, sku: "a-1", name: "Lamp" };
  const push = () =>
    call("POST", "/sitoo/items?tenant=acme&subtenant=shop&integrationPoint=erp", item, { authorization: `Bearer ${apiKey}` });
  // The gateway learns of the source a moment later, and knows all targets that were made before it then.
  await expect.poll(async () => (await push()).status).toBe(202);
  // A secret in the wrong place is still none of the log's business.
  await privately("GET", `${base}/messages?search=${encodeURIComponent(canaries.bearerToken ?? "")}`);
  await privately("GET", `/gateway/v1/admin/refresh?refresh=${String(given.guestRefreshToken)}`);
  await call("GET", base, undefined, { "x-api-key": `${apiKey}x`, authorization: "" });

  const deadLetters = async () => (await call("GET", `${base}/dead-letters`)).items as { id: string; errorMessage: string }[];
  await expect.poll(async () => (await deadLetters()).length).toBe(4);
  const ids = (await deadLetters()).map(({ id }) => id);
  const job = await call("POST", `${base}/jobs`, { kind: "requeue", selection: { ids } });
  expect(job.status).toBe(201);
  const jobId = String(job.id);
  await call("POST", `${base}/jobs/${jobId}/start`, { total: job.total, confirmation: "acme", reason: "try again" });
  await expect.poll(async () => (await call("GET", `${base}/jobs/${jobId}`)).state).toBe("done");
  await expect.poll(async () => (await deadLetters()).length).toBe(4);
  const refusedMail = async () =>
    ((await call("GET", "/api/v1/mails")).items as { failure: string | null }[]).find(({ failure }) => failure);
  await expect.poll(refusedMail).toMatchObject({ failure: expect.stringContaining("no such user") });
  await readEverything(ids[0] ?? "", jobId);
  kept.push({ where: "the arguments of processes", text: server.argumentsOf() });
  expect(kept.at(-1)?.text).toContain("main.ts");
  await server.stop();
  await readDatabase();
  kept.push({ where: "the log", text: server.output() });

  // What would hold the secrets if nothing kept them out.
  const textOf = (where: string): string => kept.find((place) => place.where === where)?.text ?? "";
  expect(textOf("queue.attempt")).toContain("refused");
  expect(textOf("the event stream")).toContain("data:");
  expect(textOf("the log")).toContain("a sign-in at a provider failed");
  expect(textOf(`GET ${base}/dead-letters/export?format=csv&documents=true`)).toContain("a-1");
  expect(textOf(`GET ${base}/jobs/${jobId}`)).toContain("requeue");
  expect(textOf(`GET ${base}/toolbox-runs`)).toContain("test-connection");

  const databasePasswords = [database.ownerUrl, database.appUrl, database.workerUrl].map((url) =>
    decodeURIComponent(new URL(url).password),
  );
  const secrets: Record<string, string> = { ...canaries, ...given, apiKey, accessToken: authorization.slice("Bearer ".length) };
  for (const [index, password] of databasePasswords.entries()) if (password.length >= 12) secrets[`database password ${index}`] = password;
  const found: string[] = [];
  for (const { where, text } of kept) {
    for (const [name, secret] of Object.entries(secrets)) {
      if (formsOf(secret).some((form) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))))
        found.push(`${name} in ${where}`);
    }
  }
  expect(Object.keys(secrets).length).toBeGreaterThanOrEqual(20);
  expect(found).toEqual([]);
}, 180_000);
