import { Trash2 } from "lucide-react";
import { useText } from "./i18n/i18n.tsx";
import { Chip } from "./ui/chip.tsx";
import { Relative } from "./ui/time.tsx";

/** That the source of a business object has it no more, and since when. Beside a key it gives way, down to its sign, before the key does. */
export function DeletedChip({ at }: { at: string | null }) {
  const t = useText();
  return (
    at !== null && (
      <span className="flex min-w-10 shrink-9999">
        <Chip tone="warn">
          <Trash2 aria-hidden className="me-1 inline size-3.5 align-text-bottom" />
          {t("entities.deleted")} <Relative moment={new Date(at)} />
        </Chip>
      </span>
    )
  );
}
