import { signIn } from "../../apps/demo/src/client.ts";
import { startSandboxProcess } from "../../apps/demo/src/processes.ts";
import { createRandom, type Random } from "../../apps/demo/src/random.ts";
import { admin, makeLane, type Lane } from "../installation.ts";
import { startClient, type ChaosClient } from "./client.ts";
import { judge, type Kill, type Verdict } from "./verdict.ts";
import { startBattlefield, type Victim } from "./victims.ts";

type ChaosOptions = { kills: number; messages: number; keys: number; seed: number };

type ChaosOutcome = Verdict & {
  seed: number;
  kills: Record<string, number>;
  acknowledged: number;
  /** What waits at the end, as the console shows it: a message that is there is late, not lost. */
  waiting: { ready: number; inHand: number; retrying: number; dead: number; parked: number } | null;
  /** Calls that the client had to repeat. */
  clientRetries: number;
  seconds: number;
};

/** Kills parts of a running system at random points of its work and judges what arrived. */
export async function runChaos({ kills, messages, keys, seed }: ChaosOptions, say: (line: string) => void): Promise<ChaosOutcome> {
  const started = performance.now();
  const random = createRandom(seed);
  const sandbox = await startSandboxProcess();
  const field = await startBattlefield(sandbox.url);
  try {
    say(`seed ${seed}: ${messages.toLocaleString("en")} messages, ${kills} kills`);
    const lane = await makeLane(await signIn(field.url, admin.email, admin.password), sandbox.url, "chaos");
    const client = startClient(lane, { messages, keys, seed });
    const done = await killAlong(client, field.victims, random, kills, messages, say);
    await client.done;
    say("all acknowledged; waiting for the deliveries");
    await untilArrived(lane, client.acknowledgedCount());
    return {
      seed,
      kills: Object.fromEntries(
        Map.groupBy(done, ({ victim }) => victim)
          .entries()
          .map(([victim, kills]) => [victim, kills.length]),
      ),
      acknowledged: client.acknowledgedCount(),
      waiting: await depthOf(field.url),
      clientRetries: client.retries(),
      ...(await judge(client.acknowledged, lane.system.receipts(), done)),
      seconds: Math.round((performance.now() - started) / 1000),
    };
  } finally {
    await field.stop();
    await sandbox.stop();
  }
}

/**
 * Moments are numbers of acknowledged messages plus a random pause. The client runs ahead of the next one by no more than what comes
 * in between two of them twice over, so that the kills spread over the whole run at any speed, with messages under way at each.
 */
async function killAlong(
  client: ChaosClient,
  victims: readonly [Victim, ...Victim[]],
  random: Random,
  kills: number,
  messages: number,
  say: (line: string) => void,
): Promise<Kill[]> {
  const moments = Array.from({ length: kills }, () => random.between(1, Math.floor(messages * 0.98))).toSorted((a, b) => a - b);
  const plan = moments.map((moment) => ({ moment, victim: random.pick(victims), pauseMs: random.between(0, 100) }));
  const lead = Math.ceil((2 * messages) / kills);
  const done: Kill[] = [];
  for (const [index, { moment, victim, pauseMs }] of plan.entries()) {
    client.allow(moment + lead);
    // A client that gives up ends the run instead of leaving it waiting for messages that never come.
    await Promise.race([client.whenAcknowledged(moment), client.done]);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    done.push({ victim: victim.name, at: Date.now() });
    await victim.kill();
    if ((index + 1) % 10 === 0) say(`${index + 1} kills, ${client.acknowledgedCount().toLocaleString("en")} acknowledged`);
  }
  client.allow(messages);
  return done;
}

async function depthOf(url: string): Promise<ChaosOutcome["waiting"]> {
  const client = await signIn(url, admin.email, admin.password);
  const { items } = await client.call("listQueues", { params: { tenantCode: "chaos" } });
  return items.find(({ entityType, integrationPoint }) => entityType === "order" && integrationPoint.code === "target")?.depth ?? null;
}

/** Until all have arrived, or nothing has come for a minute: then whatever is missing counts as lost. */
async function untilArrived(lane: Lane, count: number): Promise<void> {
  let [seen, seenAt] = [0, performance.now()];
  while (performance.now() - seenAt < 60_000) {
    const { distinct } = await lane.system.counts();
    if (distinct > seen) [seen, seenAt] = [distinct, performance.now()];
    if (distinct >= count) {
      // What still comes now are repeats; a moment for them, so that they are counted.
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
