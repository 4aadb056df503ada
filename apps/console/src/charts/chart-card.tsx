import { Download, ImageDown } from "lucide-react";
import { useRef, useState } from "react";
import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { IconButton } from "../ui/button.tsx";
import { Card } from "../ui/page.tsx";
import { saveFile } from "../ui/save-file.ts";
import { Chart, type ChartProps } from "./chart.tsx";
import { pictureOf } from "./picture.ts";

type ChartCardProps = Omit<ChartProps, "onCanvas" | "timeLabel"> & {
  /** What the picture says below its title. */
  caption: string[];
};

/** A chart with its exports, and its numbers as a table for those who can't see it. */
export function ChartCard(props: ChartCardProps) {
  const { title, caption, ...chart } = props;
  const t = useText();
  const canvas = useRef<HTMLCanvasElement | null>(null);
  const lines = chart.isRunning ? [...caption, t("hub.runningHint")] : caption;
  const savePicture = () => {
    if (!canvas.current) return;
    pictureOf(canvas.current, { title, lines, series: chart.series }).toBlob((picture) => {
      if (picture) saveFile(picture, `${title}.png`);
    });
  };
  return (
    <Card
      title={title}
      actions={
        <span className="flex">
          <IconButton label={t("hub.png", { title })} onClick={savePicture}>
            <ImageDown aria-hidden className="size-4.5" />
          </IconButton>
          <IconButton
            label={t("hub.csv", { title })}
            onClick={() => saveFile(new Blob([csvOf(props)], { type: "text/csv" }), `${title}.csv`)}
          >
            <Download aria-hidden className="size-4.5" />
          </IconButton>
        </span>
      }
    >
      <div className="p-3">
        <Chart {...chart} title={title} timeLabel={t("hub.time")} onCanvas={(next) => (canvas.current = next)} />
      </div>
      <Numbers title={title} times={chart.times} series={chart.series} isRunning={chart.isRunning} />
    </Card>
  );
}

function Numbers({ title, times, series, isRunning }: Pick<ChartCardProps, "title" | "times" | "series" | "isRunning">) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const [isOpen, setOpen] = useState(false);
  const nameOf = (at: number) => {
    const time = formatDate(at, { dateStyle: "short", timeStyle: "short" });
    return isRunning && at === times.at(-1) ? t("hub.running", { time }) : time;
  };
  const cell = "px-2 py-1 text-end tabular-nums";
  return (
    <details className="border-t border-line" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary className="cursor-pointer px-4 py-2 text-muted">{t("hub.table")}</summary>
      <div className="max-h-72 overflow-auto" tabIndex={0} role="region" aria-label={title}>
        <table className="w-full text-xs">
          <caption className="sr-only">{title}</caption>
          <thead>
            <tr>
              <th className="px-4 py-1 text-start">{t("hub.time")}</th>
              {series.map(({ label }) => (
                <th key={label} className={cell}>
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {/* A week of twelve queues has thousands of cells, which the charts would wait for though hardly anybody opens them. */}
            {(isOpen ? times : []).map((at, index) => (
              <tr key={at} className="border-t border-line">
                <th className="px-4 py-1 text-start font-normal">{nameOf(at)}</th>
                {series.map(({ label, values }) => (
                  <td key={label} className={cell}>
                    {formatNumber(values[index] ?? 0, { maximumFractionDigits: 2 })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}

/** A name that a spreadsheet would take for a formula is kept a text. */
function quoted(text: string): string {
  return `"${(/^[=+\-@\t\r]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`;
}

/** RFC 4180. Times are ISO 8601 in UTC. */
function csvOf({ times, series }: ChartCardProps): string {
  const head = ["time", ...series.map(({ label }) => quoted(label))];
  const rows = times.map((at, index) => [new Date(at).toISOString(), ...series.map(({ values }) => values[index] ?? "")]);
  return [head, ...rows].map((row) => `${row.join(",")}\r\n`).join("");
}
