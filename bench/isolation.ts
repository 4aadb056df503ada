import { makeLane, makeOrder, startInstallation, type Lane } from "./installation.ts";
import { ownRow, percentile, type Row } from "./report.ts";

const bench = "isolation";
const backlog = 10_000;
const probes = 400;
const probeIntervalMs = 25;

/** One tenant's target hangs while 10,000 of its messages wait; another tenant's deliveries must not notice. */
export async function benchIsolation(say: (line: string) => void): Promise<Row[]> {
  say("starting server, database and sandbox");
  const installation = await startInstallation();
  try {
    const { client, sandboxUrl } = installation;
    const bystander = await makeLane(client, sandboxUrl, "bystander");
    const sufferer = await makeLane(client, sandboxUrl, "sufferer");
    await probe(bystander, "warm-up");
    say("the bystander alone");
    const alone = await probe(bystander, "alone");
    await sufferer.system.behave({ mode: "hang" });
    say(`${backlog.toLocaleString("en")} messages for a target that hangs`);
    await pushBacklog(sufferer);
    say("the bystander beside it");
    const beside = await probe(bystander, "beside");
    const growth = percentile(beside, 99) - percentile(alone, 99);
    return [
      ownRow(bench, "alone, p50", percentile(alone, 50), "ms"),
      ownRow(bench, "alone, p99", percentile(alone, 99), "ms"),
      ownRow(bench, "beside a hanging target, p50", percentile(beside, 50), "ms"),
      ownRow(bench, "beside a hanging target, p99", percentile(beside, 99), "ms"),
      ownRow(bench, "growth of the p99", growth, "ms", { atMost: 250 }),
    ];
  } finally {
    await installation.stop();
  }
}

async function pushBacklog({ pushUrl, key }: Lane): Promise<void> {
  const lines = Array.from({ length: backlog }, (_, n) => `${makeOrder(`waiting-${n}`, 1)}\n`);
  const headers = { "content-type": "application/x-ndjson", "x-api-key": key };
  const answer = await fetch(pushUrl, { method: "POST", headers, body: lines.join("") });
  const text = await answer.text();
  const taken = text.split("\n").filter((line) => line.includes('"accepted"')).length;
  if (taken !== backlog) throw new Error(`${taken} of ${backlog} messages were taken in: ${text.slice(0, 300)}`);
}

/** Milliseconds from the call of the webhook to the arrival at the target, by the machine's one clock, for each probe. */
async function probe(lane: Lane, prefix: string): Promise<number[]> {
  const sentAt = new Map<string, number>();
  const sending: Promise<void>[] = [];
  for (let n = 0; n < probes; n += 1) {
    const number = `${prefix}-${n}`;
    sentAt.set(number, Date.now());
    sending.push(call(lane, number));
    await new Promise((resolve) => setTimeout(resolve, probeIntervalMs));
  }
  await Promise.all(sending);
  return untilArrived(lane, sentAt);
}

async function call(lane: Lane, number: string): Promise<void> {
  const headers = { "content-type": "application/json", "x-crossdock-entity-type": "order", "webhook-id": number };
  const answer = await fetch(lane.hookUrl, { method: "POST", headers, body: makeOrder(number, 1) });
  if (answer.status !== 202) throw new Error(`a webhook was answered ${answer.status}: ${(await answer.text()).slice(0, 300)}`);
  await answer.body?.cancel();
}

/** Throws when not all have arrived after 60 seconds. */
async function untilArrived(lane: Lane, sentAt: Map<string, number>): Promise<number[]> {
  for (const startedAt = performance.now(); performance.now() - startedAt < 60_000;) {
    const latencies = new Map<string, number>();
    for await (const { key, at } of lane.system.receipts()) {
      const sent = sentAt.get(key);
      if (sent !== undefined && !latencies.has(key)) latencies.set(key, at - sent);
    }
    if (latencies.size === sentAt.size) return [...latencies.values()];
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("not all probes arrived within 60 s");
}
