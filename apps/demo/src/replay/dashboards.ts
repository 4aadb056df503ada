import type { Metric } from "@crossdock/contract";
import type { Client } from "../client.ts";

/** A message as history keeps it. */
export type Kept = { queueId: number; state: string; publishedAt: string; finishedAt: string | null };

type Counts = { added: number; delivered: number; superseded: number };
type Range = { name: string; hours: number; grain: "1" | "15" | "60" };

/** What the hub of a subtenant draws, and how many minutes each of its points stands for. */
const ranges: readonly Range[] = [
  { name: "hour", hours: 1, grain: "1" },
  { name: "day", hours: 24, grain: "15" },
  { name: "week", hours: 24 * 7, grain: "60" },
];
/** East and west of here, and one whose hours begin at UTC's half hours. */
export const zones = ["UTC", "Europe/Stockholm", "America/New_York", "Asia/Kolkata"];
const minuteMs = 60_000;
/** Counting comes round every ten seconds and takes a fiftieth of the time, so a large replay is counted minutes after its end. */
const countedWithinMs = 300_000;

/** What the dashboards say of a replay beside what history holds. `differences` is empty when they agree to the message, at every point. */
export type Agreement = Counts & { differences: string[] };

/** Asks the dashboards' numbers as viewers in several zones do, for hour, day and week, and compares each point with history. */
export async function compareDashboards(
  client: Client,
  tenantCode: string,
  subtenant: string,
  say: (line: string) => void,
): Promise<Agreement> {
  const kept = await readHistory(client, tenantCode);
  const [begun, now] = [performance.now(), Date.now()];
  for (let isSaid = false; ;) {
    const differences: string[] = [];
    for (const zone of zones) {
      for (const range of ranges) {
        const span = spanOf(range, zone, now);
        const query = { from: new Date(span.from).toISOString(), to: new Date(span.to).toISOString(), subtenant, by: "queue" as const };
        const { items } = await client.call("listMetrics", { params: { tenantCode }, query: { ...query, grain: range.grain } });
        differences.push(...compare(items, kept, span).map((text) => `${range.name} in ${zone}, ${text}`));
      }
    }
    if (differences.length === 0 || performance.now() - begun > countedWithinMs) return { ...countOf(kept), differences };
    if (!isSaid) say("waiting until the dashboards have counted it");
    isSaid = true;
    await new Promise((resolve) => setTimeout(resolve, 2_000));
  }
}

async function readHistory(client: Client, tenantCode: string): Promise<Kept[]> {
  const kept: Kept[] = [];
  for (let cursor: string | null = null; ;) {
    const query = { limit: 500, ...(cursor === null ? {} : { cursor }) };
    const page: { items: Kept[]; nextCursor: string | null } = await client.call("listMessages", { params: { tenantCode }, query });
    kept.push(...page.items);
    cursor = page.nextCursor;
    if (cursor === null) return kept;
  }
}

type Span = { from: number; to: number; stepMs: number };

/** The range up to the end of the point under way by the clock of a zone. */
export function spanOf({ hours, grain }: Pick<Range, "hours" | "grain">, zone: string, now: number): Span {
  const [stepMs, offsetMs] = [Number(grain) * minuteMs, offsetOf(zone, now)];
  const to = (Math.floor((now + offsetMs) / stepMs) + 1) * stepMs - offsetMs;
  return { from: to - hours * 60 * minuteMs, to, stepMs };
}

/** How far a zone's clock is ahead of UTC's. */
function offsetOf(zone: string, at: number): number {
  const name = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).format(at);
  const [, sign, hours = "0", minutes = "0"] = /GMT([+-])(\d+):(\d+)/.exec(name) ?? [];
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * minuteMs;
}

/** Every point of every queue at which the two differ, in words. */
export function compare(items: readonly Pick<Metric, "queueId" | "at" | keyof Counts>[], kept: readonly Kept[], span: Span): string[] {
  const drawn = new Map<string, Counts>();
  const counted = new Map<string, Counts>();
  const point = (counts: Map<string, Counts>, queueId: number | null, time: string): Counts | null => {
    const at = Date.parse(time);
    if (at < span.from || at >= span.to) return null;
    const key = `queue ${queueId} at ${new Date(span.from + Math.floor((at - span.from) / span.stepMs) * span.stepMs).toISOString()}`;
    const known = counts.get(key) ?? { added: 0, delivered: 0, superseded: 0 };
    counts.set(key, known);
    return known;
  };
  for (const { queueId, at, added, delivered, superseded } of items) {
    const counts = point(drawn, queueId, at);
    if (counts === null) continue;
    counts.added += added;
    counts.delivered += delivered;
    counts.superseded += superseded;
  }
  for (const { queueId, state, publishedAt, finishedAt } of kept) {
    const begun = point(counted, queueId, publishedAt);
    if (begun !== null) begun.added += 1;
    const ended = finishedAt === null || (state !== "delivered" && state !== "superseded") ? null : point(counted, queueId, finishedAt);
    if (ended !== null) ended[state === "delivered" ? "delivered" : "superseded"] += 1;
  }
  const nothing: Counts = { added: 0, delivered: 0, superseded: 0 };
  const textOf = ({ added, delivered, superseded }: Counts): string => `${added} added, ${delivered} delivered, ${superseded} superseded`;
  return [...new Set([...drawn.keys(), ...counted.keys()])].flatMap((key) => {
    const [one, other] = [textOf(drawn.get(key) ?? nothing), textOf(counted.get(key) ?? nothing)];
    return one === other ? [] : [`${key}: drawn are ${one}; in history ${other}`];
  });
}

function countOf(kept: readonly Kept[]): Counts {
  const of = (state: string): number => kept.filter((message) => message.state === state).length;
  return { added: kept.length, delivered: of("delivered"), superseded: of("superseded") };
}
