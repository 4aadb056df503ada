import { parseArgs } from "node:util";
import { click } from "./click.ts";

const usage = `Usage: npm run clicker -- [--minutes 5] [--seed 1] [--calm] [--pictures FOLDER]

Uses the console of a demo workspace as nobody would: clicks, types, turns back, reloads, as an admin, in every language, mode and width, while
the network fails in one way or another (--calm: while it doesn't). What is wrong by itself is told: an error nobody caught, an answer of
500 or more, a screen that broke, that stays empty or goes on loading, texts that were never filled in, a page that is too wide, a rule of
WCAG AA that is broken, a request asked over and over. The command exits with 1 when there is any. The seed makes the walks repeat, though
not what the server and the clock do meanwhile; a complaint names the seed of its walk, by which that one can be repeated alone. With --pictures the
folder gets a picture of each.`;

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    calm: { type: "boolean", default: false },
    pictures: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(usage);
  process.exit(0);
}
const wish = {
  minutes: Number(values.minutes),
  seed: Number(values.seed),
  isCalm: values.calm,
  pictures: values.pictures ?? null,
};
const outcome = await click(wish, (line) => console.error(`… ${line}`));
console.log(`${outcome.walks} walks, ${outcome.actions.toLocaleString("en")} actions, ${outcome.complaints.length} complaints`);
for (const [refusal, count] of Object.entries(outcome.refusals)) console.log(`refused ${count} ×: ${refusal}`);
process.exitCode = outcome.complaints.length === 0 ? 0 : 1;
