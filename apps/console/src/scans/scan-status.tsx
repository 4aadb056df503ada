import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import type { Scan } from "./use-scan.ts";

type ScanStatusProps = {
  scan: Scan<unknown>;
  /** Whether the list goes by time, the newest first, or by business keys. */
  by: "time" | "key";
  /** How many were found. */
  count: number;
};

/** How far a slow search has got, and the way to stop it or to go on. */
export function ScanStatus({ scan: { cursor, searchedTo, isRunning, stop, resume }, by, count }: ScanStatusProps) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const timeOf = (time: string): string => formatDate(time, { dateStyle: "medium", timeStyle: "medium" });
  const texts =
    by === "key"
      ? { all: t("scan.whole"), begun: t("scan.fromStart"), reached: (key: string) => t("scan.upTo", { key }) }
      : { all: t("scan.all"), begun: t("scan.begun"), reached: (time: string) => t("scan.backTo", { time: timeOf(time) }) };
  const reach = cursor === null ? texts.all : searchedTo ? texts.reached(searchedTo) : texts.begun;
  return (
    <div className="border-b border-line">
      <div aria-hidden className={`h-0.5 ${isRunning ? "animate-pulse bg-primary" : ""}`} />
      <div className="flex min-h-12 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-2">
        <p role="status" className="min-w-0 text-sm">
          {isRunning && <span className="font-medium">{t("scan.running")} </span>}
          <span className="text-muted">
            {reach} · {t("scan.found", { count, shown: formatNumber(count) })}
          </span>
        </p>
        {isRunning && (
          <Button look="plain" className="ms-auto" onClick={stop}>
            {t("scan.stop")}
          </Button>
        )}
        {!isRunning && cursor !== null && (
          <Button look="plain" className="ms-auto" onClick={resume}>
            {t("scan.continue")}
          </Button>
        )}
      </div>
    </div>
  );
}
