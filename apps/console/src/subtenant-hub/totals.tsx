import type { Queue } from "@crossdock/contract";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { inUnit } from "../ui/time-unit.ts";
import { drainMs, quantile, type Metrics } from "./points.ts";
import { attemptShare, shares } from "./series.ts";

type TotalsProps = {
  data: Metrics;
  queues: readonly Queue[];
  /** End of the last whole minute, for the pace of the present; null where the range is another. */
  paceEnd: number | null;
};

/** What the whole range adds up to, and where the present leads. */
export function Totals({ data, queues, paceEnd }: TotalsProps) {
  const t = useText();
  const { formatNumber } = useIntl();
  const sum = (key: "added" | "delivered" | "failed" | "dead" | "superseded") => data.items.reduce((all, row) => all + row[key], 0);
  const time = (ms: number | null) => (ms === null ? "–" : formatNumber(...inUnit(ms)));
  const waiting = queues.reduce((all, { depth }) => all + depth.ready + depth.inHand + depth.retrying + depth.parked, 0);
  const drain = paceEnd === null ? null : drainMs(data.items, waiting, paceEnd);
  const facts = [
    { name: t("hub.added"), value: formatNumber(sum("added")) },
    { name: t("hub.delivered"), value: formatNumber(sum("delivered")) },
    { name: t("hub.superseded"), value: formatNumber(sum("superseded")) },
    { name: t("hub.failed"), value: formatNumber(sum("failed")), isBad: sum("failed") > 0 },
    { name: t("hub.dead"), value: formatNumber(sum("dead")), isBad: sum("dead") > 0 },
    ...shares.map((share) => ({
      name: t("hub.latencyShare", { share: `p${share * 100}` }),
      value: time(quantile(data.latency, share, "count")),
    })),
    {
      name: t("hub.attemptShare", { share: `p${attemptShare * 100}` }),
      value: time(quantile(data.latency, attemptShare, "attempts")),
    },
    ...(paceEnd === null ? [] : [{ name: t("hub.drain"), value: drain === Infinity ? t("hub.noDrain") : time(drain) }]),
  ];
  return (
    <Card>
      <Facts
        facts={facts.map(({ name, value, isBad = false }) => ({
          name,
          value: <span className={`text-base font-semibold tabular-nums ${isBad ? "text-bad" : ""}`}>{value}</span>,
        }))}
      />
    </Card>
  );
}
