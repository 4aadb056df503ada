import { zones, type Agreement } from "./dashboards.ts";
import type { Outcome } from "./run.ts";
import type { Tally } from "./tally.ts";

const reasonsShown = 10;

/** What a person wants to know of one file: the account, why something was rejected, and what is not as it must be. */
export function report(file: string, name: string, { tallies, dashboards }: Outcome): string {
  return [`${name}: ${file}`, "", account(tallies), ...tallies.flatMap(details), "", ...drawn(dashboards), verdict(tallies), ""].join("\n");
}

/** Whether hour, day and week of the dashboards are what history holds. */
function drawn({ added, delivered, superseded, differences }: Agreement): string[] {
  const [inAll, out, overtaken] = [added, delivered, superseded].map((count) => count.toLocaleString("en"));
  const sums = `  dashboards: in = ${inAll}, delivered = ${out}, superseded = ${overtaken}`;
  const where = `hour, day and week of ${zones.join(", ")}`;
  if (differences.length === 0) return [`${sums} (agree with history at every point of ${where})`];
  return [
    `${sums} in history, DRAWN OTHERWISE (${differences.length}):`,
    ...differences.slice(0, reasonsShown).map((text) => `    ${text}`),
  ];
}

function account(tallies: readonly Tally[]): string {
  const head = ["", "messages", "without", "in", "=", "delivered", "rejected", "superseded", "unchanged", "waiting", "repeated"];
  const lines = tallies.map((tally) => {
    const { messages, ignored, delivered, rejected, superseded, unchanged, waiting, repeated } = tally;
    const values = [delivered, rejected, superseded, unchanged, waiting, repeated];
    return [tally.entityType, messages, ignored, tally.documents + rejected, tally.isBalanced ? "=" : "≠", ...values];
  });
  const rows = [head, ...lines.map((line) => line.map((value) => (typeof value === "number" ? value.toLocaleString("en") : value)))];
  const widths = head.map((_title, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const format = (row: string[]): string =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ");
  return rows.map((row) => `  ${format(row).trimEnd()}`).join("\n");
}

function details(tally: Tally): string[] {
  const lines: string[] = [];
  const reasons = [...tally.reasons.values()].toSorted((a, b) => b.count - a.count);
  if (reasons.length > 0) lines.push("", `  Rejected ${tally.entityType} messages, by reason (each with an example):`);
  for (const { count, example } of reasons.slice(0, reasonsShown)) lines.push(`  ${String(count).padStart(8)}  ${example}`);
  if (reasons.length > reasonsShown) lines.push(`            … and ${reasons.length - reasonsShown} more reasons`);
  if (tally.failures > 0)
    lines.push("", `  NOT AS IT MUST BE (${tally.failures}):`, ...tally.failureSamples.map((sample) => `    ${sample}`));
  return lines;
}

function verdict(tallies: readonly Tally[]): string {
  const failures = tallies.reduce((sum, tally) => sum + tally.failures, 0);
  const delivered = tallies.reduce((sum, tally) => sum + tally.delivered, 0);
  if (failures > 0) return `\n  ${failures} things are not as they must be.`;
  return `\n  Everything adds up; each of the ${delivered.toLocaleString("en")} delivered documents is exactly what the file says.`;
}
