import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import type { Job } from "@crossdock/contract";
import { RequestError, signIn, type Client } from "../../apps/demo/src/client.ts";
import { createRandom, type Random } from "../../apps/demo/src/random.ts";
import { admin } from "../installation.ts";
import { startBattlefield, type Victim } from "./victims.ts";

type JobChaosOptions = { items: number; kills: number; seed: number };

/** What a job did, by its own counters, and what is found: messages of each state, and results of single items. */
type JobVerdict = { state: string; total: number; done: number; skipped: number; failed: number; results: number };
type JobChaosOutcome = {
  seed: number;
  kills: Record<string, number>;
  removal: JobVerdict;
  removed: number;
  undo: JobVerdict;
  restored: number;
  seconds: number;
};

const tenantCode = "jobs";
const params = { tenantCode };

/**
 * Removes many messages by one bulk job, and takes it back by another, while server processes and PostgreSQL are ended with kill -9. Counts
 * what became of every message.
 */
export async function runJobChaos({ items, kills, seed }: JobChaosOptions, say: (line: string) => void): Promise<JobChaosOutcome> {
  const started = performance.now();
  const random = createRandom(seed);
  const field = await startBattlefield("http://localhost");
  try {
    const client = await signIn(field.url, admin.email, admin.password);
    await publishItems(client, items);
    say(`seed ${seed}: ${items.toLocaleString("en")} messages wait, ${kills} kills each way`);
    const done: Record<string, number> = {};
    const finish = async (job: Job): Promise<JobVerdict> => {
      await killAlong(client, job, { victims: field.victims, random, kills, done });
      const ended = await untilOver(client, job);
      return { ...pick(ended), results: await countResults(client, job) };
    };
    const counted = await client.call("createJob", { params, body: { kind: "remove", selection: { filter: {} } } });
    const confirmed = { total: counted.total, confirmation: tenantCode, reason: "a test" };
    const removal = await finish(await client.call("startJob", { params: { ...params, jobId: counted.id }, body: confirmed }));
    const removed = await countMessages(client, "removed");
    say(`removed: ${JSON.stringify({ ...removal, removed })}`);
    const undo = await finish(await again(() => client.call("undoJob", { params: { ...params, jobId: counted.id } })));
    const restored = await countMessages(client, "ready");
    return { seed, kills: done, removal, removed, undo, restored, seconds: Math.round((performance.now() - started) / 1000) };
  } finally {
    await field.stop();
  }
}

/** Whether every message was changed once each way, and every job says so. */
export function isExact({ removal, removed, undo, restored }: JobChaosOutcome, items: number): boolean {
  const isWhole = ({ state, total, done, results }: JobVerdict) =>
    state === "done" && [total, done, results].every((count) => count === items);
  return isWhole(removal) && isWhole(undo) && removed === items && restored === items;
}

const linesAtOnce = 500;

/** Items for a target that nobody takes messages from, so that they wait. */
async function publishItems(client: Client, count: number): Promise<void> {
  await client.call("createTenant", { body: { code: tenantCode, name: "Jobs" } });
  await client.call("createSubtenant", { params, body: { code: "main", name: "Main" } });
  const point = { subtenantCode: "main" };
  await client.call("createIntegrationPoint", {
    params,
    body: { ...point, connector: "litium", code: "source", name: "Source", sourceTypes: ["item" as const] },
  });
  const settings = { url: "https://shop.example" };
  await client.call("createIntegrationPoint", {
    params,
    body: { ...point, connector: "centra", code: "target", name: "Target", targetTypes: ["item" as const], deliveryMode: "pull", settings },
  });
  const { key } = await client.call("createApiKey", { params, body: { name: "Source", role: "gateway" } });
  const url = `${client.url}/litium/v1/items?subtenant=main&integrationPoint=source`;
  for (let start = 0; start < count; start += linesAtOnce) {
    const lines = Array.from({ length: Math.min(linesAtOnce, count - start) }, (_, index) =>
      JSON.stringify({ schemaVersion: 1, sku: `item-${start + index}`, name: "Lamp" }),
    );
    const headers = { "content-type": "application/x-ndjson", "x-api-key": key };
    const answer = await fetch(url, { method: "POST", headers, body: lines.join("\n") });
    if (!answer.ok) throw new Error(`the gateway answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
    await answer.body?.cancel();
  }
}

type Killing = { victims: readonly [Victim, ...Victim[]]; random: Random; kills: number; done: Record<string, number> };

/** The first at once, the others spread over the job's way; a job that ends sooner ends the killing. */
async function killAlong(client: Client, job: Job, { victims, random, kills, done }: Killing): Promise<void> {
  for (let index = 0; index < kills; index += 1) {
    const victim = index === 0 ? victims[0] : random.pick(victims);
    const isReached = await untilDone(client, job, Math.floor((job.total * index) / kills));
    if (!isReached) return;
    await victim.kill();
    done[victim.name] = (done[victim.name] ?? 0) + 1;
  }
}

const read = (client: Client, { id }: Job): Promise<Job> => again(() => client.call("getJob", { params: { ...params, jobId: id } }));
const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 20));

/** False when the job is over already. */
async function untilDone(client: Client, job: Job, count: number): Promise<boolean> {
  for (;;) {
    const { state, done } = await read(client, job);
    if (state !== "running") return false;
    if (done >= count) return true;
    await pause();
  }
}

async function untilOver(client: Client, job: Job): Promise<Job> {
  for (;;) {
    const known = await read(client, job);
    // Faults of a database that is away may stop a job; an operator would see it and let it go on.
    if (known.state === "stopped") await again(() => client.call("resumeJob", { params: { ...params, jobId: job.id } }));
    else if (known.state !== "running") return known;
    await pause();
  }
}

const pick = ({ state, total, done, skipped, failed }: Job): Omit<JobVerdict, "results"> => ({ state, total, done, skipped, failed });

async function countResults(client: Client, { id }: Job): Promise<number> {
  let count = 0;
  let cursor: string | null = null;
  do {
    const query: { limit: number; outcome: "done"; cursor?: string } = { limit: 500, outcome: "done", ...(cursor !== null && { cursor }) };
    const page = await again(() => client.call("listJobItems", { params: { ...params, jobId: id }, query }));
    count += page.items.length;
    cursor = page.nextCursor;
  } while (cursor !== null);
  return count;
}

/** Counts end at 10,000, so the messages themselves are counted, each once. */
async function countMessages({ url, token }: Client, state: string): Promise<number> {
  const address = `${url}/api/v1/tenants/${tenantCode}/messages/export?format=ndjson&state=${state}`;
  const answer = await again(() => fetch(address, { headers: { authorization: `Bearer ${token}` } }));
  if (!answer.ok || answer.body === null) throw new Error(`the export answered ${answer.status}`);
  const ids = new Set<string>();
  for await (const line of createInterface({ input: Readable.fromWeb(answer.body) })) ids.add((JSON.parse(line) as { id: string }).id);
  return ids.size;
}

const patienceMs = 60_000;

/** What finds nobody there is asked again; what is refused is thrown. */
async function again<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
  const endAt = performance.now() + patienceMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      if ((error instanceof RequestError && error.status < 500) || performance.now() > endAt) throw error;
      await pause();
    }
  }
}
