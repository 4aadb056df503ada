import type { List } from "./use-list.ts";

/** Ways from the open row of a list to those beside it, for a drawer; null where there is none. */
type Neighbours = { onPrevious: (() => void) | null; onNext: (() => void) | null };

/** More is read before the end is reached. */
export function neighboursOf(list: List<{ id: string }>, openId: string, onOpen: (id: string) => void): Neighbours {
  const index = list.rows.findIndex(({ id }) => id === openId);
  const stepTo = (row: { id: string } | undefined) =>
    row === undefined
      ? null
      : () => {
          onOpen(row.id);
          if (index >= list.rows.length - 2 && list.hasMore) list.loadMore();
        };
  return index === -1
    ? { onPrevious: null, onNext: null }
    : { onPrevious: stepTo(list.rows[index - 1]), onNext: stepTo(list.rows[index + 1]) };
}
