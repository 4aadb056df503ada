import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import { FilterField } from "./filter-fields.tsx";
import { hasWords } from "./find.ts";
import { EmptyState } from "./states.tsx";

/** Fewer are looked over sooner than typed for. */
const findableFrom = 12;

type FindableProps<Item> = {
  items: readonly Item[];
  /** All that an entry may be found by. */
  textOf: (item: Item) => string;
  typed: string;
  onType: (typed: string) => void;
  className?: string;
  children: (found: Item[]) => ReactNode;
};

/** A list that is here as a whole, with a field above it that leaves those entries which have the words typed. */
export function Findable<Item>({ items, textOf, typed, onType, className = "", children }: FindableProps<Item>) {
  const t = useText();
  const found = items.filter((item) => hasWords(textOf(item), typed));
  return (
    <>
      {(items.length >= findableFrom || typed !== "") && (
        <FilterField label={t("filter.search")} value={typed} onChange={onType} isSearch className={`max-w-xs ${className}`} />
      )}
      {found.length === 0 && items.length > 0 ? <EmptyState title={t("state.noRecord")} /> : children(found)}
    </>
  );
}
