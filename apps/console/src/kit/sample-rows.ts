import type { ListPage } from "../ui/list-query.ts";

/** Made-up rows: enough of them to scroll, page, select and export for real. */
export type SampleRow = { id: string; name: string; state: "fine" | "slow" | "broken"; amount: number; changedAt: string; note: string };

const states = ["fine", "fine", "fine", "slow", "broken"] as const;

export function sampleRow(index: number): SampleRow {
  return {
    id: String(index),
    name: `Sample ${String(index).padStart(6, "0")}`,
    state: states[index % states.length] ?? "fine",
    amount: (index * 7919) % 10_000,
    changedAt: new Date(Date.UTC(2026, 0, 1) + index * 61_000).toISOString(),
    note: index % 9 === 0 ? '=1+1, "quoted" and, separated' : `Row ${index} has nothing to say, at some length, so that it has to be cut`,
  };
}

/** Answers after a moment, as a server would. */
export async function readSamplePage(count: number, cursor: string, limit: number, signal: AbortSignal): Promise<ListPage<SampleRow>> {
  await new Promise((resolve) => {
    setTimeout(resolve, 60);
  });
  signal.throwIfAborted();
  const start = Number(cursor || "0");
  const end = Math.min(start + limit, count);
  return {
    items: Array.from({ length: end - start }, (_, offset) => sampleRow(start + offset)),
    nextCursor: end < count ? String(end) : null,
  };
}
