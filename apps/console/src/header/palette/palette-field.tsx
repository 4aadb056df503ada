import { LoaderCircle, Search, X } from "lucide-react";
import type { KeyboardEvent } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { IconButton } from "../../ui/button.tsx";

type PaletteFieldProps = {
  value: string;
  onChange: (text: string) => void;
  onKeyDown: (event: KeyboardEvent) => void;
  listId: string;
  activeId: string | undefined;
  isSearching: boolean;
  onClose: () => void;
};

/** The combobox whose listbox is the palette's list. */
export function PaletteField({ value, onChange, onKeyDown, listId, activeId, isSearching, onClose }: PaletteFieldProps) {
  const t = useText();
  const Icon = isSearching ? LoaderCircle : Search;
  return (
    <div className="flex shrink-0 items-center gap-3 border-b border-line ps-5 pe-3 has-focus-visible:border-primary-ink">
      <Icon aria-hidden className={`size-5 shrink-0 text-muted ${isSearching ? "animate-spin" : ""}`} />
      <input
        role="combobox"
        aria-label={t("palette.title")}
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={activeId}
        aria-autocomplete="list"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        enterKeyHint="go"
        dir="auto"
        maxLength={200}
        placeholder={t("header.search")}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className="h-14 min-w-0 flex-1 bg-transparent text-base outline-none placeholder:text-muted rtl:text-right"
      />
      <IconButton label={t("action.close")} onClick={onClose}>
        <X aria-hidden className="size-4.5" />
      </IconButton>
    </div>
  );
}
