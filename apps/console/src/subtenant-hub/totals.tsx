import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Card, Facts } from "../ui/page.tsx";
import { inUnit } from "../ui/time-unit.ts";
import { quantile, type Metrics } from "./points.ts";
import { shares } from "./series.ts";

/** What the whole range adds up to. */
export function Totals({ data }: { data: Metrics }) {
  const t = useText();
  const { formatNumber } = useIntl();
  const sum = (key: "added" | "delivered" | "failed" | "dead" | "superseded") =>
    formatNumber(data.items.reduce((all, row) => all + row[key], 0));
  const latency = (share: number) => {
    const ms = quantile(data.latency, share);
    return ms === null ? "–" : formatNumber(...inUnit(ms));
  };
  return (
    <Card>
      <Facts
        facts={[
          { name: t("hub.added"), value: sum("added") },
          { name: t("hub.delivered"), value: sum("delivered") },
          { name: t("hub.superseded"), value: sum("superseded") },
          { name: t("hub.failed"), value: sum("failed") },
          { name: t("hub.dead"), value: sum("dead") },
          ...shares.map((share) => ({ name: t("hub.latencyShare", { share: `p${share * 100}` }), value: latency(share) })),
        ]}
      />
    </Card>
  );
}
