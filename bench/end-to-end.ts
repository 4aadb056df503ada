import { Pool } from "undici";
import { makeLane, makeOrder, startInstallation, type Installation, type Lane } from "./installation.ts";
import { ownRow, percentile, type Row } from "./report.ts";

const bench = "end-to-end";
const connections = 96;

/** Webhooks into a real server process until their delivery to a target over HTTP: how many a second, sustained. */
export async function benchEndToEnd({ seconds }: { seconds: number }, say: (line: string) => void): Promise<Row[]> {
  say("starting server, database and sandbox");
  const installation = await startInstallation();
  try {
    const lane = await makeLane(installation.client, installation.sandboxUrl, "load");
    say("warming up");
    await sendWebhooks(lane, 3_000, "warm-up");
    await untilDelivered(lane, (await lane.system.counts()).received);
    say(`webhooks from ${connections} connections for ${seconds} s`);
    const before = (await lane.system.counts()).received;
    const cpuBefore = installation.cpuTimes();
    const started = performance.now();
    const { answered, latencies } = await sendWebhooks(lane, seconds * 1000, "order");
    const intakeSeconds = (performance.now() - started) / 1000;
    say(`${answered.toLocaleString("en")} taken in, waiting for the last delivery`);
    await untilDelivered(lane, before + answered);
    const totalSeconds = (performance.now() - started) / 1000;
    const cpuAfter = installation.cpuTimes();
    const { duplicates } = await lane.system.counts();
    return [
      ownRow(bench, "webhook in to delivered", answered / totalSeconds, "messages/s", { atLeast: 3000 }),
      ownRow(bench, "webhooks answered", answered / intakeSeconds, "messages/s"),
      ownRow(bench, "webhook answer, p50", percentile(latencies, 50), "ms"),
      ownRow(bench, "webhook answer, p99", percentile(latencies, 99), "ms"),
      ownRow(bench, "delivered twice", duplicates, "messages"),
      ...cpuRows(cpuBefore, cpuAfter, answered),
    ];
  } finally {
    await installation.stop();
  }
}

type CpuTimes = ReturnType<Installation["cpuTimes"]>;

/** What a message costs: says more than the rate where the machine does other work as well. */
function cpuRows(before: CpuTimes, after: CpuTimes, messages: number): Row[] {
  if (!before || !after) return [];
  const parts = (["server", "PostgreSQL", "sandbox", "load generator"] as const).map((part) => ({
    part,
    us: (after[part] - before[part]) / messages,
  }));
  const sum = parts.reduce((total, { us }) => total + us, 0);
  return [...parts, { part: "all together", us: sum }].map(({ part, us }) => ownRow(bench, `CPU a message, ${part}`, us, "µs"));
}

/** Each connection sends its next webhook when the last one was answered. Throws when one is refused. */
async function sendWebhooks(lane: Lane, durationMs: number, prefix: string): Promise<{ answered: number; latencies: number[] }> {
  const { origin, pathname } = new URL(lane.hookUrl);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const started = performance.now();
  const latencies: number[] = [];
  // Made once: the sender shares the machine's cores with what it measures.
  const body = makeOrder("NUMBER", 1);
  let next = 0;
  const callers = Array.from({ length: connections }, async () => {
    while (performance.now() - started < durationMs) {
      const number = `${prefix}-${(next += 1)}`;
      const at = performance.now();
      const headers = { "content-type": "application/json", "x-crossdock-entity-type": "order", "webhook-id": number };
      const answer = await pool.request({ method: "POST", path: pathname, headers, body: body.replace("NUMBER", number) });
      const text = await answer.body.text();
      if (answer.statusCode !== 202) throw new Error(`a webhook was answered ${answer.statusCode}: ${text.slice(0, 300)}`);
      latencies.push(performance.now() - at);
    }
  });
  await Promise.all(callers);
  await pool.close();
  return { answered: latencies.length, latencies };
}

/** Throws when deliveries stand still for 30 seconds. */
async function untilDelivered(lane: Lane, count: number): Promise<void> {
  let [seen, seenAt] = [0, performance.now()];
  for (;;) {
    const { distinct } = await lane.system.counts();
    if (distinct >= count) return;
    if (distinct > seen) [seen, seenAt] = [distinct, performance.now()];
    if (performance.now() - seenAt > 30_000) throw new Error(`deliveries stand still at ${distinct} of ${count}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
