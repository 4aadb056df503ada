import { Search } from "lucide-react";
import { useEffectEvent, useLayoutEffect, useState, type ComponentType } from "react";
import { useText } from "../i18n/i18n.tsx";
import { ahead } from "../lazy-screen.ts";
import { noticeError } from "../ui/notice.tsx";

type Palette = ComponentType<{ isOpen: boolean; typed: string; onType: (text: string) => void; onClose: () => void }>;

const loadPalette = () => import("./palette/command-palette.tsx");
const preparePalette = ahead(loadPalette);

const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent);

/** Looks like a search box, and is the door to the command palette: a box where there is room for one, in a narrow place its icon. */
export function SearchBox() {
  const t = useText();
  const [palette, setPalette] = useState<{ Palette: Palette } | null>(null);
  const [isOpen, setIsOpen] = useState(false);
  const [typed, setTyped] = useState("");

  const open = async () => {
    setTyped("");
    setIsOpen(true);
    try {
      const { CommandPalette } = await loadPalette();
      setPalette({ Palette: CommandPalette });
    } catch {
      setIsOpen(false);
      noticeError(t("error.offline"));
    }
  };
  /** Who is quicker than the palette loses no letter: until its field has the focus, what is typed goes there from here. */
  const typeAhead = (event: KeyboardEvent) => {
    const isInPalette = event.target instanceof Element && event.target.closest("[role=dialog]") !== null;
    if (!isOpen || isInPalette || event.key.length !== 1 || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    setTyped((text) => text + event.key);
  };
  const followKeys = useEffectEvent((event: KeyboardEvent) => {
    typeAhead(event);
    if (event.key.toLowerCase() !== "k" || !(event.ctrlKey || event.metaKey) || event.shiftKey || event.altKey) return;
    // Browsers have a use of their own for it.
    event.preventDefault();
    if (isOpen) setIsOpen(false);
    else void open();
  });
  // As soon as the box can be seen, its keys work.
  useLayoutEffect(() => {
    addEventListener("keydown", followKeys);
    return () => removeEventListener("keydown", followKeys);
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
      {palette && <palette.Palette isOpen={isOpen} typed={typed} onType={setTyped} onClose={() => setIsOpen(false)} />}
    </div>
  );
}
