import { useText } from "../i18n/i18n.tsx";
import OutsideLink from "../message-filters/outside-link.tsx";
import { isNarrowed } from "../message-filters/search.ts";
import { EmptyState } from "../ui/states.tsx";
import { filtersOf, type QueueSearch } from "./search.ts";

/** No message at all, or none that matches, with the way to what was refused as it came in. */
export default function NothingFound({ title, search }: { title: string; search: QueueSearch }) {
  const t = useText();
  const { search: words, key, subtenant } = search;
  return (
    <EmptyState
      title={title}
      hint={t(isNarrowed(filtersOf(search)) ? "queue.emptyHint" : "queue.none")}
      action={(words || key) && <OutsideLink words={words} keys={key} subtenant={subtenant} />}
    />
  );
}
