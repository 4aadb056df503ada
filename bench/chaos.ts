import { parseArgs } from "node:util";
import { runChaos } from "./chaos/run.ts";

const usage = `Usage: npm run chaos -- --kills 100 [--messages 20000] [--keys 2000] [--seed 1]

Ends api server, worker and PostgreSQL with kill -9 at random points while a client hands messages in, and checks at the end
that nothing acknowledged was lost, that no key's messages arrived out of order, and that what arrived twice bears one id.
The command exits with 1 when one of these does not hold. The seed makes victims and moments repeat.`;

const { values } = parseArgs({
  options: {
    kills: { type: "string", default: "100" },
    messages: { type: "string", default: "20000" },
    keys: { type: "string", default: "2000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const [kills, messages, keys, seed] = [values.kills, values.messages, values.keys, values.seed].map(Number);
if (kills === undefined || messages === undefined || keys === undefined || seed === undefined) throw new Error(usage);
const outcome = await runChaos({ kills, messages, keys, seed }, (line) => console.error(`… ${line}`));
for (const [name, value] of Object.entries(outcome))
  console.log(`${name.padEnd(26)} ${typeof value === "number" ? value.toLocaleString("en") : JSON.stringify(value)}`);
const isGood = outcome.lost === 0 && outcome.outOfOrder === 0 && outcome.publishedTwice === 0;
console.log(isGood ? "Nothing acknowledged was lost, every lane is in order." : "NOT AS IT MUST BE.");
process.exitCode = isGood ? 0 : 1;
