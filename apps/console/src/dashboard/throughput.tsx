import type { Throughput as Minute } from "@crossdock/contract";
import { useMemo } from "react";
import { useIntl } from "react-intl";
import { ChartCard } from "../charts/chart-card.tsx";
import { styleOf } from "../charts/series.ts";
import { useText } from "../i18n/i18n.tsx";

/** Each outcome has the colour that it has in the hub of a subtenant. */
const lines = [
  { key: "added", text: "dashboard.added", style: styleOf(0) },
  { key: "delivered", text: "dashboard.delivered", style: styleOf(2) },
  { key: "failed", text: "dashboard.failed", style: styleOf(3) },
] as const;

/** What happened in each minute of the last hour, all tenants together. */
export function Throughput({ minutes }: { minutes: Minute[] }) {
  const t = useText();
  const { formatDateTimeRange } = useIntl();
  const times = useMemo(() => minutes.map(({ at }) => Date.parse(at)), [minutes]);
  const series = useMemo(
    () => lines.map(({ key, text, style }) => ({ label: t(text), values: minutes.map((minute) => minute[key]), ...style })),
    [t, minutes],
  );
  const range = formatDateTimeRange(times[0] ?? 0, times.at(-1) ?? 0, { dateStyle: "medium", timeStyle: "short" });
  const span = `${range} · ${new Intl.DateTimeFormat().resolvedOptions().timeZone}`;
  return (
    <ChartCard
      title={t("dashboard.throughput")}
      caption={[t("alerts.ofInstallation"), span]}
      times={times}
      series={series}
      isRunning
      atRest="latest"
    />
  );
}
