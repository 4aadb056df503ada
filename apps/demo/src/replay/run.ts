import { randomBytes } from "node:crypto";
import { canonicalSchemas, type ConnectorCode, type EntityType } from "@crossdock/contract";
import type { Client } from "../client.ts";
import { pushBatch, type Door, type PushResult } from "../gateway.ts";
import { sandboxSystem, type SandboxSystem } from "../sandbox-client.ts";
import { compareDashboards, type Agreement } from "./dashboards.ts";
import type { Expectation, Source, SourceMessage } from "./source.ts";
import { Tally } from "./tally.ts";

/** The source's connector and the target's: both move all six entity types and are served by the configurable HTTP connector. */
const sourceConnector: ConnectorCode = "litium";
const targetConnector: ConnectorCode = "magento";
const subtenant = "replay";

/** Batches bounded by both: an invoice may be 200 bytes or 200 kB. */
const batchLines = 200;
const batchCharacters = 2_000_000;

type Stage = { client: Client; sandbox: SandboxSystem; tenantCode: string; door: Omit<Door, "entityType"> };

export type Outcome = { tallies: Tally[]; dashboards: Agreement };

/** Replays a source into a tenant of its own, waits until nothing moves any more, and checks everything that arrived and what is drawn of it. */
export async function replay(source: Source, client: Client, sandboxUrl: string, say: (line: string) => void): Promise<Outcome> {
  const stage = await setUp(source, client, sandboxUrl);
  const tallies: Tally[] = [];
  for (const entityType of source.entityTypes) {
    const tally = new Tally(entityType);
    const started = performance.now();
    for await (const batch of inBatches(source.messages())) {
      // The key makes it safe to hand the same batch in again when the connection broke before its answer.
      const key = randomBytes(12).toString("hex");
      const lines = batch.map((message) => message.json);
      const results = await withRetry(() => pushBatch({ ...stage.door, entityType }, lines, key));
      for (const [index, message] of batch.entries()) note(tally, message, results[index], entityType);
    }
    say(
      `${entityType}: ${tally.messages.toLocaleString("en")} messages handed in, ${Math.round((performance.now() - started) / 100) / 10} s`,
    );
    tallies.push(tally);
  }
  await untilStill(stage, say);
  for (const tally of tallies) await verify(stage, tally);
  return { tallies, dashboards: await compareDashboards(client, stage.tenantCode, subtenant, say) };
}

async function setUp(source: Source, client: Client, sandboxUrl: string): Promise<Stage> {
  // A tenant for each run, so that what an earlier run delivered neither helps nor hinders.
  const tenantCode = `replay-${source.code}-${randomBytes(3).toString("hex")}`;
  const system = tenantCode;
  const params = { tenantCode };
  await client.call("createTenant", { body: { code: tenantCode, name: `Replay of ${source.name}` } });
  await client.call("createSubtenant", { params, body: { code: subtenant, name: source.name } });
  const { entityTypes } = source;
  const receive = Object.fromEntries(Object.entries(source.translations).map(([type, expression]) => [type, { expression }]));
  const point = { subtenantCode: subtenant };
  const from = {
    ...point,
    connector: sourceConnector,
    code: "file",
    name: source.name,
    sourceTypes: entityTypes,
    settings: { receive },
  };
  await client.call("createIntegrationPoint", { params, body: from });
  const deliver = Object.fromEntries(entityTypes.map((type) => [type, { method: "PUT", path: `/${type}/{key}` }]));
  const settings = { url: `${sandboxUrl}/generic/${system}`, deliver };
  const to = {
    ...point,
    connector: targetConnector,
    code: "target",
    name: "Sandbox",
    targetTypes: entityTypes,
    settings,
    concurrency: 16,
  };
  await client.call("createIntegrationPoint", { params, body: to });
  const { key } = await client.call("createApiKey", { params, body: { name: "Replay", role: "gateway" } });
  const door = { url: client.url, key, connector: sourceConnector, subtenant, integrationPoint: "file" };
  return { client, sandbox: sandboxSystem(sandboxUrl, system), tenantCode, door };
}

async function* inBatches(messages: AsyncIterable<SourceMessage>): AsyncGenerator<SourceMessage[]> {
  let batch: SourceMessage[] = [];
  let characters = 0;
  for await (const message of messages) {
    batch.push(message);
    characters += message.json.length;
    if (batch.length < batchLines && characters < batchCharacters) continue;
    yield batch;
    batch = [];
    characters = 0;
  }
  if (batch.length > 0) yield batch;
}

async function withRetry<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      // The address is right and the batch well formed, so whatever failed may pass: a restart, a full intake.
      if (tries === 10) throw error;
      await new Promise((resolve) => setTimeout(resolve, 200 * tries));
    }
  }
}

/** Compares what the gateway said to one message with what must be said, and remembers the documents that have to arrive. */
function note(tally: Tally, message: SourceMessage, result: PushResult | undefined, entityType: EntityType): void {
  tally.messages += 1;
  if (result === undefined || (result.state === undefined && result.code !== "rejected-message" && result.code !== "nul-character")) {
    tally.fail(`${message.label}: the gateway answered ${result?.status ?? "nothing"} ${result?.code ?? ""}`);
    return;
  }
  const expected = valid(message.expected(entityType), entityType);
  if (result.state === undefined || result.state === "rejected") {
    const reason =
      (result.errors ?? []).map((error) => [error.path, error.message].filter((part) => part !== "").join(": "))[0] ?? result.title;
    tally.reject(message.label, reason ?? "no reason given");
    if (expected !== "rejected") tally.fail(`${message.label} was rejected: ${reason}`);
    return;
  }
  if (expected === "rejected") {
    tally.fail(`${message.label} was taken, but can't be translated`);
    return;
  }
  if ((result.state === "ignored") !== (expected.length === 0))
    tally.fail(`${message.label}: answered ${result.state}, holds ${expected.length}`);
  if (expected.length === 0) tally.ignored += 1;
  tally.expect(expected, result.messageIds ?? []);
}

/** A document that does not fit the canonical schema makes its message a rejected one. */
function valid(expected: Expectation, entityType: EntityType): Expectation {
  if (expected === "rejected") return expected;
  const isValid = expected.every(({ document }) => canonicalSchemas[entityType].safeParse(document).success);
  return isValid ? expected : "rejected";
}

/** Waits until no message of the tenant is on its way: the depths of its queues are what the console shows. */
async function untilStill({ client, tenantCode }: Stage, say: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  for (let saidAt = startedAt; ;) {
    const { items } = await client.call("listQueues", { params: { tenantCode } });
    const moving = items.reduce((sum, { depth }) => sum + depth.ready + depth.inHand + depth.retrying, 0);
    if (moving === 0) return;
    if (performance.now() - saidAt > 5_000) {
      say(`waiting for ${moving.toLocaleString("en")} deliveries`);
      saidAt = performance.now();
    }
    if (performance.now() - startedAt > 600_000) return;
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
}

async function verify(stage: Stage, tally: Tally): Promise<void> {
  for await (const receipt of stage.sandbox.receipts(tally.entityType)) {
    if (receipt.isDuplicate) tally.repeated += 1;
    else tally.arrive(receipt.key, receipt.messageId ?? "", receipt.body ?? "");
  }
  await countRest(stage, tally);
  tally.close();
}

/** What did not arrive: messages that a newer one overtook, and those that wait or died. */
async function countRest({ client, tenantCode }: Stage, tally: Tally): Promise<void> {
  for (let cursor: string | null = null; ;) {
    const query = { entityType: tally.entityType, state: ["superseded" as const], limit: 500, ...(cursor === null ? {} : { cursor }) };
    const page: { items: { id: string }[]; nextCursor: string | null } = await client.call("listMessages", {
      params: { tenantCode },
      query,
    });
    for (const { id } of page.items) tally.supersede(id);
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  const { items } = await client.call("listQueues", { params: { tenantCode } });
  for (const { entityType, depth } of items) {
    if (entityType !== tally.entityType) continue;
    tally.waiting += depth.ready + depth.inHand + depth.retrying + depth.parked + depth.dead;
  }
}
