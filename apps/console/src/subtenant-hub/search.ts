import { pickTexts } from "../text-search.ts";

export const ranges = ["hour", "day", "week"] as const;
export type RangeName = (typeof ranges)[number];
export const aggregates = ["mean", "max", "min", "sum"] as const;
export type Aggregate = (typeof aggregates)[number];

/** What the charts show, as it stands in the address. `from` and `to` are set while zoomed. */
export type HubSearch = { range?: string; aggregate?: string; view?: string; queue?: string; compare?: string; from?: string; to?: string };

export function parseHubSearch(given: Record<string, unknown>): HubSearch {
  return pickTexts(given, ["range", "aggregate", "view", "queue", "compare", "from", "to"]);
}

export type HubView = {
  range: RangeName;
  aggregate: Aggregate;
  isStacked: boolean;
  queueId: number | null;
  isCompared: boolean;
  zoom: Span | null;
};
/** Moments in milliseconds since 1970. */
export type Span = { from: number; to: number };

/** 31 days, which as hours can still be drawn. */
const longestZoomMs = 31 * 86_400_000;

/** A value that isn't one counts as absent, as the address may come from anywhere. */
export function viewOf({ range, aggregate, view, queue, compare, from, to }: HubSearch): HubView {
  const zoom = { from: Date.parse(from ?? ""), to: Date.parse(to ?? "") };
  return {
    range: ranges.find((one) => one === range) ?? "hour",
    aggregate: aggregates.find((one) => one === aggregate) ?? "mean",
    isStacked: view === "stacked",
    queueId: /^\d{1,9}$/.test(queue ?? "") ? Number(queue) : null,
    isCompared: compare === "1",
    zoom: zoom.to > zoom.from && zoom.to - zoom.from <= longestZoomMs ? zoom : null,
  };
}
