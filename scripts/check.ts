import { spawnSync } from "node:child_process";

/** The one gate before the tests. Every step runs, so that one run shows all that is wrong. */
const steps: [name: string, command: string, ...words: string[]][] = [
  ["format", "oxfmt", "--check"],
  ["lint", "oxlint", "--type-aware", "--deny-warnings"],
  ["types", "tsc"],
  ["types of the console", "tsc", "-p", "apps/console"],
  ["types of the journeys", "tsc", "-p", "e2e"],
  ["imports", "node", "scripts/check-imports.ts"],
  ["database schema", "node", "scripts/schema.ts", "--check"],
  ["generated pages", "node", "scripts/pages.ts", "--check"],
  ["translations", "node", "apps/console/check-messages.ts"],
  ["connectors' words", "node", "scripts/check-connector-texts.ts"],
];

let failures = 0;
for (const [name, command, ...words] of steps) {
  const started = performance.now();
  const result = spawnSync(command, words, { encoding: "utf8" });
  const isOk = result.status === 0;
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${isOk ? "ok    " : "FAILED"} ${name} (${seconds} s)`);
  if (isOk) continue;
  failures += 1;
  console.log(result.stdout, result.stderr, result.error?.message ?? "");
}
process.exit(failures === 0 ? 0 : 1);
