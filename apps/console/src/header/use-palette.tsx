import { useEffectEvent, useLayoutEffect, useState, type ComponentType, type ReactNode, type SetStateAction } from "react";
import { isOutdated, offerAgain } from "../api/new-version.ts";
import { useText, withAllTexts } from "../i18n/i18n.tsx";
import { loadCode } from "../lazy-screen.ts";
import { noticeError } from "../ui/notice.tsx";
import type { PaletteProps } from "./palette/command-palette.tsx";

type Palette = ComponentType<PaletteProps & { isOpen: boolean }>;

export const loadPalette = () => loadCode(() => withAllTexts(() => import("./palette/command-palette.tsx")));

/** The command palette with its keys. It stands beside the layout, whose search box another width puts elsewhere: what was typed stays. */
export function usePalette(): { open: () => void; palette: ReactNode } {
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
      if (isOutdated()) offerAgain();
      else noticeError(t("error.offline"));
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

  return {
    open: () => void open(),
    palette: palette && (
      <palette.Palette
        isOpen={isOpen}
        typed={typed}
        isEager={isEager}
        onType={type}
        onEager={() => setIsEager(true)}
        onClose={() => setIsOpen(false)}
      />
    ),
  };
}
