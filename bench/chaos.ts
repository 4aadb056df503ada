import { parseArgs } from "node:util";
import { isExact, runJobChaos } from "./chaos/job.ts";
import { runChaos } from "./chaos/run.ts";

const usage = `Usage: npm run chaos -- --kills 100 [--messages 20000] [--keys 2000] [--seed 1]
       npm run chaos -- --job 100000 [--kills 5] [--seed 1]

Ends api server, worker and PostgreSQL with kill -9 at random points while a client hands messages in, and checks at the end
that nothing acknowledged was lost, that no key's messages arrived out of order, and that what arrived twice bears one id.
With --job they are ended while one bulk job removes so many messages and another one takes it back; both must have changed each
message once, and count so. The command exits with 1 when one of these does not hold. The seed makes victims and moments repeat.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string" },
    messages: { type: "string", default: "20000" },
    keys: { type: "string", default: "2000" },
    job: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const seed = Number(values.seed);
const say = (line: string): void => console.error(`… ${line}`);
const isGood = values.job === undefined ? await passMessages() : await runJob(Number(values.job));
process.exitCode = isGood ? 0 : 1;

async function passMessages(): Promise<boolean> {
  const [kills, messages, keys] = [Number(values.kills ?? "100"), Number(values.messages), Number(values.keys)];
  const outcome = await runChaos({ kills, messages, keys, seed }, say);
  tell(outcome);
  const isKept = outcome.lost === 0 && outcome.outOfOrder === 0 && outcome.publishedTwice === 0;
  console.log(isKept ? "Nothing acknowledged was lost, every lane is in order." : "NOT AS IT MUST BE.");
  return isKept;
}

async function runJob(items: number): Promise<boolean> {
  const outcome = await runJobChaos({ items, kills: Number(values.kills ?? "5"), seed }, say);
  tell(outcome);
  const isWhole = isExact(outcome, items);
  console.log(isWhole ? "Each message was changed once each way, and both jobs count so." : "NOT AS IT MUST BE.");
  return isWhole;
}

function tell(outcome: object): void {
  for (const [name, value] of Object.entries(outcome))
    console.log(`${name.padEnd(26)} ${typeof value === "number" ? value.toLocaleString("en") : JSON.stringify(value)}`);
}
