import { createClient, type Client } from "./client.ts";
import { createFlow, type Flow } from "./flow.ts";
import { leaveNotes } from "./notes.ts";
import { fetchSome } from "./outside-worker.ts";
import { startSandboxProcess, type Started } from "./processes.ts";
import { createRandom } from "./random.ts";
import { ensureSchedules } from "./schedules.ts";
import { changeWeather, prepareShop } from "./weather.ts";
import { ensureWorkspace, freshKey, type Workplace } from "./workspace.ts";

/** Fixed, since the address stands in the integration points and has to be right after a restart. */
const sandboxPort = Number(process.env["SANDBOX_PORT"] ?? "8090");

/** Said at most once a minute for each sentence: a server that restarts must not fill the terminal. */
const saidAt = new Map<string, number>();
function complain(error: unknown): void {
  const text = error instanceof Error ? error.message : String(error);
  if (performance.now() - (saidAt.get(text) ?? -Infinity) < 60_000) return;
  saidAt.set(text, performance.now());
  console.error(`demo: ${text}`);
}

/** What listens and says nothing is no sandbox. */
const askMs = 2_000;

/** The sandbox may be there already: one that somebody runs by hand, or that a killed demo left behind. */
async function openSandbox(): Promise<{ url: string; started: Started | null }> {
  const url = `http://127.0.0.1:${sandboxPort}`;
  const isThere = await fetch(`${url}/_control`, { signal: AbortSignal.timeout(askMs) }).then(
    async (answer) => answer.ok && "systems" in Object(await answer.json()),
    () => false,
  );
  if (isThere) return { url, started: null };
  const started = await startSandboxProcess(sandboxPort, process.env["SANDBOX_MEMORY"]).catch((cause: unknown) => {
    throw new Error(`the sandbox cannot be started on port ${sandboxPort}; choose another with CROSSDOCK_DEMO_PORT`, { cause });
  });
  return { url, started };
}

async function run(): Promise<void> {
  const { CROSSDOCK_URL: url, CROSSDOCK_TOKEN: token } = process.env;
  if (url === undefined || token === undefined) throw new Error("CROSSDOCK_URL and CROSSDOCK_TOKEN (an admin's access token) must be set");
  let started: Started | null = null;
  let isStopping = false;
  const stop = (): void => {
    if (isStopping) return;
    isStopping = true;
    Promise.resolve(started?.stop()).then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on("SIGTERM", stop);
  process.on("SIGINT", stop);
  // The server that started this program is gone, however it ended.
  process.on("disconnect", stop);

  const sandbox = await openSandbox();
  started = sandbox.started;
  await prepareShop(sandbox.url);
  const client = createClient(url, token);
  const workplaces = await ensureWorkspace(client, sandbox.url);
  // From now on what is delivered to its systems arrives there.
  process.send?.("open");
  const [first] = workplaces;
  if (first !== undefined) keepLeavingNotes(url, first.tenant.code, client).catch(complain);
  const flows = workplaces.map((workplace, index) => createFlow(url, workplace, 1000 + index));
  // Trade goes on while the catalogues come in, so that each screen shows something at once.
  const begun = Promise.all(flows.map((flow) => flow.begin().catch(complain)));
  const runExports = await ensureSchedules(client);
  await runExports();
  begun.then(runExports).catch(complain);
  await keepFlowing(flows, workplaces, url, sandbox.url);
}

/** Until each colleague's remark has found the message that it is about; a key of their own outlives the token of the start. */
async function keepLeavingNotes(url: string, tenantCode: string, client: Client): Promise<void> {
  const serviceDesk = createClient(url, await freshKey(client, tenantCode, { name: "Service desk", role: "user" }));
  while (!(await leaveNotes(serviceDesk, tenantCode).catch(complain))) await new Promise((resolve) => setTimeout(resolve, 5000));
}

async function keepFlowing(flows: Flow[], workplaces: Workplace[], url: string, sandboxUrl: string): Promise<never> {
  const random = createRandom(7);
  for (let second = 0; ; second += 1) {
    const next = performance.now() + 1000;
    await changeWeather(sandboxUrl, second).catch(complain);
    for (const flow of flows) await flow.tick(new Date()).catch(complain);
    if (second % 5 === 0) for (const workplace of workplaces) await fetchSome(url, workplace, random).catch(complain);
    await new Promise((resolve) => setTimeout(resolve, Math.max(100, next - performance.now())));
  }
}

run().catch((error: unknown) => {
  console.error("demo:", error instanceof Error ? error.message : error);
  process.exit(1);
});
