import { useIntl } from "react-intl";
import { useText } from "../../i18n/i18n.tsx";
import type { ExportState } from "./use-export.ts";

/** How far a file has come, or why it has not. */
export function ExportProgress({ state }: { state: ExportState }) {
  const t = useText();
  const { formatNumber } = useIntl();
  return (
    <div className="min-h-8">
      {state.kind === "running" && (
        <div role="progressbar" aria-label={t("export.title")} className="h-1 overflow-hidden rounded-full bg-line">
          <div className="h-full animate-pulse rounded-full bg-primary" />
        </div>
      )}
      <p role="status" className="mt-1 text-muted">
        {state.kind === "running" && t("export.rows", { count: state.rows, shown: formatNumber(state.rows) })}
        {state.kind === "done" && t("export.saved", { count: state.rows, shown: formatNumber(state.rows) })}
        {state.kind === "failed" && <span className="text-bad">{state.message}</span>}
      </p>
    </div>
  );
}
