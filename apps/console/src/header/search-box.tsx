import { Search } from "lucide-react";
import { useEffectEvent, useLayoutEffect, useState, type ComponentType, type SetStateAction } from "react";
import { useText } from "../i18n/i18n.tsx";
import { ahead } from "../lazy-screen.ts";
import { noticeError } from "../ui/notice.tsx";
import type { PaletteProps } from "./palette/command-palette.tsx";

type Palette = ComponentType<PaletteProps & { isOpen: boolean }>;

const loadPalette = () => import("./palette/command-palette.tsx");
const preparePalette = ahead(loadPalette);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Looks like a search box, and is the door to the command palette: a box where there is room for one, in a narrow place its icon. */
export function SearchBox() {
  const t = useText();
  const [palette, setPalette] = useState<{ Palette: Palette } | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [isEager, setIsEager] = useState(false);

  const type = (next: SetStateAction<string>) => {
    setTyped(next);
    setIsEager(false);
  };
  const open = async () => {
    type("");
    setIsOpen(true);
    try {
      const { CommandPalette } = await loadPalette();
      setPalette({ Palette: CommandPalette });
    } catch {
      setIsOpen(false);
      noticeError(t("error.offline"));
    }
  };
  /** Who is quicker than the palette loses no key: until its field has the focus, they go there from here, and not to what has the focus. */
  const typeAhead = (event: KeyboardEvent) => {
    const isInPalette = event.target instanceof Element && event.target.closest("[data-palette]") !== null;
    if (!isOpen || isInPalette || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key.length === 1) type((text) => text + event.key);
    else if (event.key === "Backspace") type((text) => Array.from(text).slice(0, -1).join(""));
    else if (event.key === "Enter") setIsEager(true);
    else if (event.key === "Escape") setIsOpen(false);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const followKeys = useEffectEvent((event: KeyboardEvent) => {
    typeAhead(event);
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    // Browsers have a use of their own for it.
    event.preventDefault();
    if (isOpen) setIsOpen(false);
    else void open();
  });
  // As soon as the box can be seen, its keys work, before those of anything else.
  useLayoutEffect(() => {
    addEventListener("keydown", followKeys, { capture: true });
    return () => removeEventListener("keydown", followKeys, { capture: true });
  }, []);

  return (
    <div className="@container min-w-9 flex-1">
      <button
        type="button"
        aria-haspopup="dialog"
        aria-keyshortcuts="Control+K Meta+K"
        title={t("header.search")}
        onClick={() => void open()}
        onPointerEnter={preparePalette}
        className="flex h-9 w-9 items-center gap-2 rounded-full text-muted hover:bg-hover @min-[9rem]:w-full @min-[9rem]:border @min-[9rem]:border-field-line @min-[9rem]:ps-3 @min-[9rem]:pe-1.5"
      >
        <Search aria-hidden className="size-5 shrink-0 text-ink mx-auto @min-[9rem]:mx-0 @min-[9rem]:size-4 @min-[9rem]:text-muted" />
        <span className="truncate text-start sr-only @min-[9rem]:not-sr-only @min-[9rem]:flex-1">{t("header.search")}</span>
        <kbd className="hidden shrink-0 rounded-full border border-line px-2 py-0.5 font-sans text-xs @min-[13rem]:inline" dir="ltr">
          {isMac ? "⌘K" : "Ctrl K"}
        </kbd>
      </button>
      {palette && (
        <palette.Palette
          isOpen={isOpen}
          typed={typed}
          isEager={isEager}
          onType={type}
          onEager={() => setIsEager(true)}
          onClose={() => setIsOpen(false)}
        />
      )}
    </div>
  );
}
