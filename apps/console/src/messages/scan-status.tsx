import { useIntl } from "react-intl";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import type { Scan } from "./use-scan.ts";

/** How far a slow search has got, and the way to stop it or to go on. */
export function ScanStatus({ scan: { list, cursor, searchedTo, isRunning, stop, resume } }: { scan: Scan }) {
  const t = useText();
  const { formatDate, formatNumber } = useIntl();
  const count = list.rows.length;
  const time = searchedTo && formatDate(searchedTo, { dateStyle: "medium", timeStyle: "medium" });
  const reach = cursor === null ? t("scan.all") : time ? t("scan.backTo", { time }) : t("scan.begun");
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
