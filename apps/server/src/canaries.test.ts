import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { routes } from "@crossdock/contract";
import { testDatabase, testSecret } from "@crossdock/db/testing";
import { pino } from "pino";
import { expect, test } from "vitest";
import { readConfig } from "./config.ts";
import { startServer } from "./server.ts";

/** Long enough to occur nowhere by chance; with characters that change when they are written as part of a URL. */
const canaries = {
  adminPassword: "canary admin+password/1!ä",
  basicPassword: "canary basic+password/2!é",
  bearerToken: "canary-bearer+token/3==",
  apiKeyCredential: "canary-api+key/4==",
  installationSecret: testSecret,
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
  return [secret, encodeURIComponent(secret), bytes.toString("hex"), bytes.toString("base64url"), ...shifted];
}

test("secrets that are put everywhere are found nowhere", async () => {
  const database = await testDatabase();
  const logged: string[] = [];
  const sink = new Writable({ write: (chunk: Buffer, _encoding, done) => (logged.push(chunk.toString()), done()) });
  // A target that repeats what it was told, in an answer and in the text of an error.
  const target = createServer((request, response) => {
    response.writeHead(422, {
      "content-type": "application/json",
      "x-echo": String(request.headers.authorization ?? request.headers["x-api-key"]),
    });
    response.end(JSON.stringify({ error: `refused: ${JSON.stringify(request.headers)} ${request.url}` }));
  });
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  const url = `http://127.0.0.1:${(target.address() as AddressInfo).port}`;
  const config = readConfig({
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_PORT: "0",
    CROSSDOCK_SECRET: canaries.installationSecret,
    CROSSDOCK_ADMIN_PASSWORD: canaries.adminPassword,
    CROSSDOCK_EGRESS_ALLOW: new URL(url).host,
    CROSSDOCK_LOG_LEVEL: "trace",
    DATABASE_URL: database.ownerUrl,
  });
  const server = await startServer(config, pino({ level: "trace" }, sink));
  const found: string[] = [];
  const kept: { where: string; text: string }[] = [];
  let authorization = "";

  async function call(method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { ...(authorization && { authorization }), ...(body && { "content-type": "application/json" }) };
    const answer = await fetch(`${server.url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = await answer.text();
    kept.push({ where: `${method} ${path}`, text: `${text} ${JSON.stringify([...answer.headers])}` });
    return JSON.parse(text.startsWith("{") ? text : "{}");
  }

  const session = await call("POST", "/api/v1/session", { email: config.adminEmail, password: canaries.adminPassword });
  authorization = `Bearer ${String(session.access_token)}`;
  await call("POST", "/api/v1/tenants", { code: "acme", name: "Acme" });
  const base = "/api/v1/tenants/acme";
  await call("POST", `${base}/subtenants`, { code: "shop", name: "Shop" });
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    entityTypes: ["item"],
    retry: { maxAttempts: 1, baseDelayMs: 100, maxDelayMs: 1000 },
  };
  const ways = [
    { code: "basic", settings: { url, auth: "basic" }, credentials: { username: "crossdock", password: canaries.basicPassword } },
    { code: "bearer", settings: { url, auth: "bearer" }, credentials: { token: canaries.bearerToken } },
    { code: "key", settings: { url, auth: "api-key" }, credentials: { apiKey: canaries.apiKeyCredential } },
  ];
  for (const way of ways) {
    const made = await call("POST", `${base}/integration-points`, { ...point, ...way, name: way.code, direction: "target" });
    await call("PATCH", `${base}/integration-points/${String(made.id)}`, { name: `${way.code} renamed`, credentials: way.credentials });
    await call("POST", `${base}/integration-points/test`, { connector: "centra", settings: way.settings, credentials: way.credentials });
  }
  await call("POST", `${base}/integration-points`, {
    ...point,
    connector: "sitoo",
    code: "erp",
    name: "ERP",
    direction: "source",
    settings: { url },
  });
  const key = String((await call("POST", `${base}/api-keys`, { name: "worker" })).key);
  expect(key).toMatch(/^cdk_/);
  // Shown this once.
  kept.pop();
  await call("POST", "/sitoo/items?tenant=acme&subtenant=shop&integrationPoint=erp", { schemaVersion: 1, sku: "a-1", name: "Lamp" });
  // A secret in the wrong place is still none of the log's business.
  await call("GET", `${base}/messages?search=${encodeURIComponent(canaries.bearerToken)}`);
  kept.pop();
  await expect.poll(async () => ((await call("GET", `${base}/dead-letters`)).items as unknown[]).length).toBe(ways.length);
  const [dead] = (await call("GET", `${base}/dead-letters`)).items as { id: string }[];

  for (const { method, path, contentType } of Object.values(routes)) {
    if (method !== "GET" || contentType === "text/event-stream" || path.startsWith("/gateway")) continue;
    await call(
      method,
      path
        .replace(":tenantCode", "acme")
        .replace(":messageId", dead?.id ?? "")
        .replace(/:\w+/g, "1"),
    );
  }
  await server.stop();
  target.close();

  const owner = database.pool("owner", 1);
  const { rows: tables } = await owner.query<{ name: string }>(
    `select format('%I.%I', table_schema, table_name) as name from information_schema.tables
     where table_schema in ('hub', 'queue', 'public') and table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables) {
    const { rows } = await owner.query<{ text: string }>(`select to_jsonb(t)::text as text from ${name} t`);
    kept.push({ where: name, text: rows.map(({ text }) => text).join("\n") });
  }
  kept.push({ where: "the log", text: logged.join("") });
  expect(kept.find(({ where }) => where === "queue.attempt")?.text).toContain("refused");

  for (const { where, text } of kept) {
    for (const [name, secret] of Object.entries({ ...canaries, key, accessToken: authorization.slice(7) })) {
      // Whoever signs in is given it.
      if (name === "accessToken" && where === "POST /api/v1/session") continue;
      if (formsOf(secret).some((form) => text.includes(form) || text.includes(JSON.stringify(form).slice(1, -1))))
        found.push(`${name} in ${where}`);
    }
  }
  expect(found).toEqual([]);
  await database.drop();
});
