import { TriangleAlert } from "lucide-react";
import { useText } from "../../i18n/i18n.tsx";
import { activeTenantCode } from "../../settings.ts";
import { Button } from "../../ui/button.tsx";
import type { Found } from "./found-choices.ts";

type PaletteStatusProps = { text: string; count: number; found: Found };

/** What there is to say about the search, and below it the keys. */
export function PaletteStatus({ text, count, found: { isSearching, error, retry } }: PaletteStatusProps) {
  const t = useText();
  const none = activeTenantCode.use() === null ? "palette.inWhichTenant" : "palette.none";
  const isEmpty = count === 0 && !isSearching && error === null;
  return (
    <>
      {error !== null && (
        <div role="alert" className="flex flex-wrap items-center gap-3 border-t border-line px-5 py-3">
          <TriangleAlert aria-hidden className="size-4.5 shrink-0 text-bad" />
          <span className="min-w-0 flex-1">{t("palette.error")}</span>
          <Button look="plain" onClick={retry}>
            {t("action.tryAgain")}
          </Button>
        </div>
      )}
      <p role="status" className={isEmpty ? "px-5 py-10 text-center text-muted" : "sr-only"}>
        {isEmpty ? t(none, { text }) : isSearching ? t("state.loading") : text && t("palette.results", { count })}
      </p>
      <p className="hidden shrink-0 items-center gap-4 border-t border-line px-5 py-2.5 text-xs text-muted sm:flex">
        <Keys keys="↑ ↓" does={t("palette.move")} />
        <Keys keys="↵" does={t("palette.choose")} />
        <Keys keys="Esc" does={t("action.close")} />
        {text === "" && <span className="ms-auto truncate">{t("palette.hint")}</span>}
      </p>
    </>
  );
}

function Keys({ keys, does }: { keys: string; does: string }) {
  return (
    <span className="flex shrink-0 items-center gap-1.5">
      <kbd dir="ltr" className="rounded-button border border-line px-1.5 py-px font-sans">
        {keys}
      </kbd>
      {does}
    </span>
  );
}
