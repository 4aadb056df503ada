import { hashKey, useInfiniteQuery, useQueryClient, type InfiniteData } from "@tanstack/react-query";
import { useEffect, useMemo, useRef, useState } from "react";
import { compareStart, noNews, type ListNews } from "./list-news.ts";
import { rowsOf, startOfList, updateRows, type listQuery, type ListPage, type PagePlace } from "./list-query.ts";

/** A list as its parts need it: rows, where they stand, and how to get more. */
export type List<Row> = {
  rows: Row[];
  /** Place of the first row in memory; those before it are read again on the way back. */
  firstIndex: number;
  hasMore: boolean;
  /** There are at least this many rows; how many exactly is not known. */
  isFloor: boolean;
  isLoadingMore: boolean;
  isPending: boolean;
  /** Set only while there is nothing to show. */
  error: Error | null;
  /** The server has announced changes that aren't shown yet. */
  isStale: boolean;
  /** An answer is on its way, or will be asked for once the server can be reached. */
  isReading: boolean;
  /** When the last refresh failed, in ms since 1970; 0 when it didn't. */
  failedAt: number;
  /** Rows that came and that left since the list was read. */
  news: ListNews;
  /** New rows appear by themselves, whether or not the pointer is among the rows. */
  isFollowing: boolean;
  follow: (isWanted: boolean) => void;
  loadMore: () => void;
  loadPrevious: () => void;
  /** Reads the list from its start again and drops what was read behind the first page. */
  restart: () => void;
  /** Reads the list's start: the rows stay in place and show their changes, and `news` counts what came and left. */
  peek: () => void;
  /** Drops a refresh that is under way, so that the rows stay where they are; the list stays stale. */
  hold: () => void;
};

type Data<Row> = InfiniteData<ListPage<Row>, PagePlace>;

export function useList<Row extends { id: string }>(options: ReturnType<typeof listQuery<Row>>): List<Row> {
  const client = useQueryClient();
  const query = useInfiniteQuery(options);
  const { data, error, isStale, isPending, hasNextPage } = query;
  const isReading = query.fetchStatus !== "idle";
  const [lookFailedAt, setLookFailedAt] = useState(0);
  const { rows, firstIndex } = useMemo(() => rowsOf(data), [data]);

  const name = hashKey(options.queryKey);
  // Another filter is another list, about which nothing is known yet.
  const [noted, setNoted] = useState({ name, news: noNews });
  const news = noted.name === name ? noted.news : noNews;
  const [isFollowing, setIsFollowing] = useState(false);
  const peeking = useRef<AbortController | null>(null);
  useEffect(() => () => peeking.current?.abort(), []);

  function restart(): void {
    peeking.current?.abort();
    peeking.current = null;
    setNoted({ name, news: noNews });
    if (firstIndex > 0) return void client.resetQueries({ queryKey: options.queryKey, exact: true });
    client.setQueryData<Data<Row>>(options.queryKey, (known) => known && { pages: known.pages.slice(0, 1), pageParams: [startOfList] });
    markStale();
    void query.refetch();
  }

  /** What is written into a list makes it fresh. It isn't while the answer is on its way, which whoever leaves the screen doesn't wait for. */
  function markStale(): void {
    void client.invalidateQueries({ queryKey: options.queryKey, exact: true, refetchType: "none" });
  }

  async function lookAtStart(stop: AbortController): Promise<void> {
    // From here on stale means: changed after this look.
    client.setQueryData<Data<Row>>(options.queryKey, (known) => known);
    const start = await options.readStart(stop.signal).catch(() => null);
    if (stop.signal.aborted) return markStale();
    peeking.current = null;
    setLookFailedAt(start ? 0 : Date.now());
    const known = client.getQueryData<Data<Row>>(options.queryKey);
    if (!start || !known) return markStale();
    const hasChangedAgain = client.getQueryState(options.queryKey)?.isInvalidated === true;
    const shown = { ids: rowsOf(known).rows.map(({ id }) => id), isWhole: known.pages.at(-1)?.nextCursor === null };
    const found = { ids: start.items.map(({ id }) => id), isWhole: start.nextCursor === null };
    setNoted({ name, news: compareStart(shown, found) });
    client.setQueryData(options.queryKey, updateRows(known, start.items));
    if (hasChangedAgain) markStale();
  }

  function peek(): void {
    // Far down, the list's first rows are not in memory any more: there is nothing to compare its start with.
    if (firstIndex > 0 || peeking.current) return;
    peeking.current = new AbortController();
    void lookAtStart(peeking.current);
  }

  function hold(): void {
    if (!isReading || isPending) return;
    void client.cancelQueries({ queryKey: options.queryKey, exact: true }).then(markStale);
  }

  return {
    rows,
    firstIndex,
    hasMore: hasNextPage,
    isFloor: data?.pages[0]?.isFloor === true,
    isLoadingMore: query.isFetchingNextPage || query.isFetchingPreviousPage,
    isPending,
    error: data ? null : error,
    isStale,
    isReading,
    failedAt: Math.max(query.isRefetchError ? query.errorUpdatedAt : 0, lookFailedAt),
    news,
    isFollowing,
    follow: setIsFollowing,
    loadMore: () => void query.fetchNextPage({ cancelRefetch: false }),
    loadPrevious: () => void query.fetchPreviousPage({ cancelRefetch: false }),
    restart,
    peek,
    hold,
  };
}

/** A list that is here as a whole has nothing more to read. */
function stay(): void {}

/** A list that is already here as a whole. */
export function wholeList<Row>(rows: Row[]): List<Row> {
  return {
    rows,
    firstIndex: 0,
    hasMore: false,
    isFloor: false,
    isLoadingMore: false,
    isPending: false,
    error: null,
    isStale: false,
    isReading: false,
    failedAt: 0,
    news: noNews,
    isFollowing: false,
    follow: stay,
    loadMore: stay,
    loadPrevious: stay,
    restart: stay,
    peek: stay,
    hold: stay,
  };
}
