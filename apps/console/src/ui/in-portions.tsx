import { useState, type ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { Button } from "./button.tsx";

/** Entries that are drawn at once: a few thousand forms or cards would hold the browser up for half a minute. */
const portion = 50;

type InPortionsProps<Item> = {
  items: readonly Item[];
  /** How many there are, where not all of them are known. */
  total?: number;
  children: (shown: readonly Item[]) => ReactNode;
};

/** The beginning of a long list that is not a table, and more of it on demand. */
export function InPortions<Item>({ items, total = items.length, children }: InPortionsProps<Item>) {
  const t = useText();
  const [count, setCount] = useState(portion);
  const shown = items.slice(0, count);
  return (
    <>
      {children(shown)}
      {shown.length < total && (
        <div className="flex flex-wrap items-center gap-x-4 gap-y-2 border-t border-line p-4">
          {shown.length < items.length && <Button onClick={() => setCount(count + portion)}>{t("list.more")}</Button>}
          <p role="status" className="text-muted">
            {t("list.shown", { shown: shown.length, all: total })}
          </p>
        </div>
      )}
    </>
  );
}
