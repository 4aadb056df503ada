import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "@crossdock/db";
import { pino } from "pino";
import { readConfig } from "../../apps/server/src/config.ts";
import { startServer } from "../../apps/server/src/server.ts";
import { fuzz, type Document, type Send, type Tokens } from "./fuzz.ts";
import { fillWorkspace } from "./workspace.ts";

/** `npm run fuzz -- --requests 20000 [--seed 7]`: a server on a database of its own, asked everything that its description offers. */
const { values } = parseArgs({ options: { requests: { type: "string", default: "2000" }, seed: { type: "string" } } });
const seed = values.seed === undefined ? Math.floor(Math.random() * 2 ** 31) : Number(values.seed);
const requests = Number(values.requests);

const password = "a password for fuzzing 4711";
const dataDir = mkdtempSync(join(tmpdir(), "crossdock-fuzz-"));
const config = readConfig({
  CROSSDOCK_DATA_DIR: dataDir,
  CROSSDOCK_DEMO: "0",
  CROSSDOCK_PORT: String(await freePort()),
  CROSSDOCK_ADMIN_PASSWORD: password,
  CROSSDOCK_RATE_LIMIT: "1000000",
});
const server = await startServer(config, pino({ level: "error" }));
const url = server.url ?? "";

const send: Send = async ({ method, url: path, headers, body }) => {
  const answer = await fetch(`${url}${path}`, { method, headers, ...(body === undefined ? {} : { body }), redirect: "manual" });
  return { status: answer.status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
};

async function post(path: string, body: object, token?: string): Promise<Record<string, string>> {
  for (;;) {
    const headers = { "content-type": "application/json", ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
    const answer = await send({ method: "POST", url: path, headers, body: JSON.stringify(body) });
    // Sign-ins wait their turn like everybody's.
    if (answer.status === 429) await new Promise((resolve) => setTimeout(resolve, 1000 * Number(answer.headers["retry-after"] ?? 1)));
    else if (answer.status >= 400) throw new Error(`${path}: ${answer.status} ${answer.body}`);
    else return JSON.parse(answer.body || "{}");
  }
}

/** One person of each role, who stay what they are, and an admin's key. */
async function prepare(): Promise<Tokens> {
  const admin = await signIn(config.adminEmail);
  for (const code of ["acme", "other"]) {
    await post("/api/v1/tenants", { code, name: code }, admin);
    await post(`/api/v1/tenants/${code}/subtenants`, { code: "shop", name: "Shop" }, admin);
  }
  for (const role of ["user", "viewer"]) {
    const { link = "" } = await post("/api/v1/users", { email: `${role}@example.com`, role, tenants: ["acme"] }, admin);
    await post("/api/v1/invitation", { token: link.split("#")[1], name: role, password });
  }
  // Whom the fuzzer may disable, invite anew and sign out.
  await post("/api/v1/users", { email: "nobody@example.com", role: "user", tenants: ["acme"] }, admin);
  return { ...(await signInAll()), key: await fillWorkspace(send, admin) };
}

async function signInAll(): Promise<Omit<Tokens, "key">> {
  return { admin: await signIn(config.adminEmail), user: await signIn("user@example.com"), viewer: await signIn("viewer@example.com") };
}

async function signIn(email: string): Promise<string> {
  return (await post("/api/v1/session", { email, password })).access_token ?? "";
}

try {
  const tokens = await prepare();
  const document: Document = JSON.parse((await send({ method: "GET", url: "/openapi.json", headers: {} })).body);
  console.log(`seed ${seed}`);
  let left = requests;
  let faults = 0;
  const statuses: Record<string, number> = {};
  // In portions: access tokens end, and memory stays small.
  for (let portion = 0; left > 0; portion += 1) {
    const report = await fuzz(document, send, portion === 0 ? tokens : { ...tokens, ...(await signInAll()) }, {
      requests: Math.min(left, 2_000),
      seed: seed + portion,
    });
    left -= report.requests;
    faults += report.faults.length;
    for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    for (const { call, answer, what } of report.faults.slice(0, 20)) {
      console.log(
        `${what}\n  ${call.method} ${call.url}\n  ${call.body?.slice(0, 500) ?? ""}\n  ${answer.status} ${answer.body.slice(0, 500)}`,
      );
    }
  }
  const succeeded = Object.entries(statuses).reduce((sum, [status, count]) => sum + (Number(status) < 300 ? count : 0), 0);
  console.log(`${Math.round((100 * succeeded) / requests)} % succeeded`);
  console.log(`${requests} requests, ${faults} faults; answers by status: ${JSON.stringify(statuses)}`);
  process.exitCode = faults === 0 ? 0 : 1;
} finally {
  await server.stop();
  rmSync(dataDir, { recursive: true, force: true });
}
