import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

/** What can be done with the chosen rows. It takes its place before anything is chosen, so that the rows don't move. */
export function SelectionBar({ count, onClear, children }: { count: number; onClear: () => void; children: ReactNode }) {
  const t = useText();
  return (
    <div className="flex min-h-14 flex-wrap items-center gap-2 border-b border-line px-4 py-2">
      <p role="status" className="me-2 text-muted">
        {t("table.selected", { count })}
      </p>
      {count > 0 && (
        <>
          {children}
          <Button look="plain" onClick={onClear}>
            {t("table.clearSelection")}
          </Button>
        </>
      )}
    </div>
  );
}
