import type { Attempt } from "@crossdock/contract";
import { useText } from "../i18n/i18n.tsx";

/** Of a bar, in pixels. */
const height = 48;

/** How long each try took, the latest first as in the list below, which says the same in words. */
export function AttemptStrip({ attempts }: { attempts: Attempt[] }) {
  const t = useText();
  const longest = Math.max(1, ...attempts.map(({ durationMs }) => durationMs));
  return (
    <div role="img" aria-label={t("attempts.picture")} className="flex items-end gap-1 overflow-x-auto border-b border-line px-4 py-3">
      {attempts.map(({ number, durationMs, error }) => (
        <span key={number} className="grid shrink-0 justify-items-center gap-1 text-xs text-muted">
          <span
            className={`w-5 rounded-t-sm ${error ? "bg-bad" : "bg-ok"}`}
            // Logarithmic: next to a timeout of 30 s an answer within 50 ms is still seen.
            style={{ height: 4 + (height - 4) * (Math.log1p(durationMs) / Math.log1p(longest)) }}
          />
          {number}
        </span>
      ))}
    </div>
  );
}
