import { Search } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { ahead } from "../lazy-screen.ts";
import { loadPalette } from "./use-palette.tsx";

const preparePalette = ahead(loadPalette);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Looks like a search box, and is the door to the command palette: a box where there is room for one, in a narrow place its icon. */
export function SearchBox({ onOpen }: { onOpen: () => void }) {
  const t = useText();
  return (
    <div className="@container min-w-9 flex-1">
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title={t("header.search")}
        onClick={onOpen}
        onPointerEnter={preparePalette}
        className="flex h-9 w-9 items-center gap-2 rounded-full text-muted hover:bg-hover @min-[9rem]:w-full @min-[9rem]:border @min-[9rem]:border-field-line @min-[9rem]:ps-3 @min-[9rem]:pe-1.5"
      >
        <Search aria-hidden className="size-5 shrink-0 text-ink mx-auto @min-[9rem]:mx-0 @min-[9rem]:size-4 @min-[9rem]:text-muted" />
        <span className="truncate text-start sr-only @min-[9rem]:not-sr-only @min-[9rem]:flex-1">{t("header.search")}</span>
        <kbd className="hidden shrink-0 rounded-full border border-line px-2 py-0.5 font-sans text-xs @min-[13rem]:inline" dir="ltr">
          {isMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
    </div>
  );
}
