import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createClient, signIn, type Client } from "./client.ts";
import { startSandboxProcess, startServerProcess } from "./processes.ts";
import { recognise } from "./replay/recognise.ts";
import { report } from "./replay/report.ts";
import { replay } from "./replay/run.ts";

const usage = `Usage: npm run replay -- FILE…

Moves real files through intake, queue and delivery, and checks every document that arrives in the sandbox,
and that the dashboards show as many as history holds.
Knows UCI Online Retail months (CSV), the Vinmonopolet catalogue (JSON) and AdventureWorks ProductInventory
(tab-separated, with Product.csv beside it), each also as .gz.

By default it starts a server and a sandbox of its own in a temporary folder. To use a running server instead, set
  CROSSDOCK_URL    e.g. http://localhost:8080
  CROSSDOCK_TOKEN  an access token of an admin
  SANDBOX_URL      e.g. http://127.0.0.1:8090; the server must be allowed to reach it (CROSSDOCK_EGRESS_ALLOW)`;

/** Where to replay to, and how to leave it. */
type Place = { client: Client; sandboxUrl: string; leave: () => Promise<void> };

const say = (line: string): void => console.error(`… ${line}`);

async function enter(): Promise<Place> {
  const { CROSSDOCK_URL: url, CROSSDOCK_TOKEN: token, SANDBOX_URL: sandboxUrl = "http://127.0.0.1:8090" } = process.env;
  if (url !== undefined && token !== undefined) return { client: createClient(url, token), sandboxUrl, leave: () => Promise.resolve() };
  say("starting a server and a sandbox of its own");
  const dir = mkdtempSync(join(tmpdir(), "crossdock-replay-"));
  const sandbox = await startSandboxProcess();
  const [email, password] = ["replay@example.com", "only for this replay"];
  const server = await startServerProcess({
    CROSSDOCK_PORT: "0",
    CROSSDOCK_DATA_DIR: dir,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_ADMIN_EMAIL: email,
    CROSSDOCK_ADMIN_PASSWORD: password,
    CROSSDOCK_EGRESS_ALLOW: new URL(sandbox.url).host,
    CROSSDOCK_LOG_LEVEL: "warn",
  }).catch(async (error: unknown) => {
    await sandbox.stop();
    throw error;
  });
  const leave = async (): Promise<void> => {
    await server.stop();
    await sandbox.stop();
    rmSync(dir, { recursive: true, force: true });
  };
  return { client: await signIn(server.url, email, password), sandboxUrl: sandbox.url, leave };
}

async function run(files: string[]): Promise<boolean> {
  const sources = await Promise.all(files.map(async (file) => ({ file, source: await recognise(resolve(file)) })));
  const place = await enter();
  let isGood = true;
  try {
    for (const { file, source } of sources) {
      const outcome = await replay(source, place.client, place.sandboxUrl, say);
      console.log(report(file, source.name, outcome));
      isGood &&= outcome.dashboards.differences.length === 0 && outcome.tallies.every((tally) => tally.failures === 0);
    }
  } finally {
    await place.leave();
  }
  return isGood;
}

const files = process.argv.slice(2);
if (files.length === 0 || files.includes("--help")) {
  console.log(usage);
  process.exit(files.length === 0 ? 2 : 0);
}
try {
  process.exitCode = (await run(files)) ? 0 : 1;
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
