import { useInfiniteQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useMemo } from "react";
import { rowsOf, startOfList, type listQuery, type ListPage, type PagePlace } from "./list-query.ts";

/** A list as its parts need it: rows, where they stand, and how to get more. */
export type List<Row> = {
  rows: Row[];
  /** Place of the first row in memory; those before it are read again on the way back. */
  firstIndex: number;
  hasMore: boolean;
  isLoadingMore: boolean;
  isPending: boolean;
  /** Only while there is nothing to show. */
  error: Error | null;
  /** The server told of changes that aren't shown yet. */
  isStale: boolean;
  isFetching: boolean;
  loadMore: () => void;
  loadPrevious: () => void;
  /** Reads the list from its start again and drops what was read behind the first page. */
  restart: () => void;
  /** Drops a refresh that is under way, so that the rows stay where they are; the list stays stale. */
  hold: () => void;
};

export function useList<Row extends { id: string }>(options: ReturnType<typeof listQuery<Row>>): List<Row> {
  const client = useQueryClient();
  const query = useInfiniteQuery(options);
  const { data, error, isStale, isFetching, isPending, hasNextPage } = query;
  const { rows, firstIndex } = useMemo(() => rowsOf(data), [data]);

  function restart(): void {
    if (firstIndex > 0) return void client.resetQueries({ queryKey: options.queryKey, exact: true });
    client.setQueryData<InfiniteData<ListPage<Row>, PagePlace>>(
      options.queryKey,
      (known) => known && { pages: known.pages.slice(0, 1), pageParams: [startOfList] },
    );
    void query.refetch();
  }

  function hold(): void {
    if (!query.isRefetching) return;
    const filter = { queryKey: options.queryKey, exact: true };
    void client.cancelQueries(filter).then(() => client.invalidateQueries({ ...filter, refetchType: "none" }));
  }

  return {
    rows,
    firstIndex,
    hasMore: hasNextPage,
    isLoadingMore: query.isFetchingNextPage || query.isFetchingPreviousPage,
    isPending,
    error: data ? null : error,
    isStale,
    isFetching,
    loadMore: () => void query.fetchNextPage({ cancelRefetch: false }),
    loadPrevious: () => void query.fetchPreviousPage({ cancelRefetch: false }),
    restart,
    hold,
  };
}

/** A whole list has nothing more to read. */
function stay(): void {}

/** A list that is already here as a whole. */
export function wholeList<Row>(rows: Row[]): List<Row> {
  return {
    rows,
    firstIndex: 0,
    hasMore: false,
    isLoadingMore: false,
    isPending: false,
    error: null,
    isStale: false,
    isFetching: false,
    loadMore: stay,
    loadPrevious: stay,
    restart: stay,
    hold: stay,
  };
}
