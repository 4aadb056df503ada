import { useState } from "react";
import type { List } from "./use-list.ts";

/** The open row of a list, and the ways from it to those beside it, for a drawer; null where there is none. */
type Neighbours<Row> = { row: Row | undefined; onPrevious: (() => void) | null; onNext: (() => void) | null };

/** A row that has left the list since it was opened keeps its place in it. More is read before the end is reached. */
export function useNeighbours<Row extends { id: string }>(list: List<Row>, openId: string, onOpen: (id: string) => void): Neighbours<Row> {
  const { rows } = list;
  const [known, setKnown] = useState(rows);
  if (known !== rows && rows.some(({ id }) => id === openId)) setKnown(rows);
  const index = known.findIndex(({ id }) => id === openId);
  const listed = new Map(rows.map(({ id }, place) => [id, place]));
  const stepTo = (row: Row | undefined) =>
    row === undefined
      ? null
      : () => {
          onOpen(row.id);
          if ((listed.get(row.id) ?? 0) >= rows.length - 2 && list.hasMore) list.loadMore();
        };
  const isListed = ({ id }: Row): boolean => listed.has(id);
  return {
    row: known[index],
    onPrevious: stepTo(known.slice(0, Math.max(index, 0)).findLast(isListed)),
    onNext: stepTo(index === -1 ? undefined : known.slice(index + 1).find(isListed)),
  };
}
