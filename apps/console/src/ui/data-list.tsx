import type { ReactNode } from "react";
import { LiveList } from "./live-list.tsx";
import { ListError } from "./list-error.tsx";
import { LoadingRows } from "./states.tsx";
import type { List } from "./use-list.ts";

type DataListProps = {
  list: List<unknown>;
  isInUse?: boolean;
  /** Rows are chosen: the actions and questions about them stay even when the last row has left the list. */
  isChosen?: boolean;
  /** What is shown when nothing matches. */
  empty: ReactNode;
  children: ReactNode;
};

/** The states of a list around its table: being read, not readable, empty, live. */
export function DataList({ list, isInUse = false, isChosen = false, empty, children }: DataListProps) {
  if (list.error) return <ListError error={list.error} onRetry={list.restart} />;
  if (list.isPending) return <LoadingRows />;
  return (
    <LiveList list={list} isInUse={isInUse}>
      {list.rows.length === 0 && !isChosen ? empty : children}
    </LiveList>
  );
}
