import { useText } from "../i18n/i18n.tsx";
import { Button } from "../ui/button.tsx";
import { EmptyState } from "../ui/states.tsx";
import { isNarrowed } from "./search.ts";

type NothingListedProps = {
  /** What is said besides that there is no record, e.g. that a search hasn't found any so far. */
  title?: string;
  /** What it means that the list is empty without filters. */
  none: string;
  filters: Record<string, string | undefined>;
  onClear: () => void;
};

/** An empty list: nothing at all, or nothing that matches and the way to clear the filters. */
export function NothingListed({ title, none, filters, onClear }: NothingListedProps) {
  const t = useText();
  const isFiltered = isNarrowed(filters);
  return (
    <EmptyState
      title={title ?? t("state.noRecord")}
      hint={isFiltered ? t("queue.emptyHint") : none}
      action={isFiltered && <Button onClick={onClear}>{t("filter.clearAll")}</Button>}
    />
  );
}
