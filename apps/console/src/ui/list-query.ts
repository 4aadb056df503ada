import { infiniteQueryOptions, replaceEqualDeep, type InfiniteData, type QueryKey } from "@tanstack/react-query";

/** `isFloor`: what the rows count is at least so much. */
export type ListPage<Row> = { items: Row[]; nextCursor: string | null; isFloor?: boolean };
/** Reads the page that follows a cursor; the empty cursor stands before the first row. */
export type PageReader<Row> = (cursor: string, limit: number, signal: AbortSignal) => Promise<ListPage<Row>>;

/** Where a page starts. Cursors only lead forward, so each place remembers the one it was reached from. */
export type PagePlace = { cursor: string; firstIndex: number; previous: PagePlace | null };

export const startOfList: PagePlace = { cursor: "", firstIndex: 0, previous: null };

const pageLimit = 100;
/** How many pages stay in memory. The others are read again when the operator scrolls back. */
const pagesMax = 20;
/** The most that one call answers; for walking through a list from end to end. */
const walkLimit = 500;

/** A list read page by page, whose memory stays bounded however far it is scrolled. It is refreshed by its screen (see LiveList). */
export function listQuery<Row>(queryKey: QueryKey, readPage: PageReader<Row>) {
  const options = infiniteQueryOptions<ListPage<Row>, Error, InfiniteData<ListPage<Row>, PagePlace>, QueryKey, PagePlace>({
    queryKey,
    queryFn: ({ pageParam, signal }) => readPage(pageParam.cursor, pageLimit, signal),
    initialPageParam: startOfList,
    getNextPageParam: (page, _pages, place): PagePlace | undefined =>
      page.nextCursor === null ? undefined : { cursor: page.nextCursor, firstIndex: place.firstIndex + page.items.length, previous: place },
    getPreviousPageParam: (_page, _pages, place) => place.previous ?? undefined,
    maxPages: pagesMax,
    structuralSharing: shareRows,
    staleTime: Infinity,
    meta: { isHeld: true },
  });
  /** Reads the first page without changing the rows on the screen. */
  const readStart = (signal: AbortSignal) => readPage(startOfList.cursor, pageLimit, signal);
  return { ...options, readStart };
}

type Pages = { pages: ListPage<{ id: string }>[] };

function havePages(data: unknown): data is Pages {
  return typeof data === "object" && data !== null && "pages" in data;
}

/**
 * A row with the same content as before stays the same object, so that it isn't drawn again. Rows are compared by their ids: by their places, as is
 * usual, each would be compared with a stranger and copied when the first page leaves the memory.
 */
export function shareRows(before: unknown, after: unknown): unknown {
  if (!havePages(before) || !havePages(after)) return after;
  const known = new Set(before.pages);
  if (after.pages.every((page) => known.has(page))) return after;
  const rows = new Map(before.pages.flatMap(({ items }) => items.map((row) => [row.id, row])));
  const shared = (row: { id: string }) => replaceEqualDeep(rows.get(row.id), row);
  return { ...after, pages: after.pages.map((page) => (known.has(page) ? page : { ...page, items: page.items.map(shared) })) };
}

/** The rows in memory, each in its place, updated with what is known about them now. */
export function updateRows<Row extends { id: string }>(
  data: InfiniteData<ListPage<Row>, PagePlace>,
  rows: readonly Row[],
): InfiniteData<ListPage<Row>, PagePlace> {
  const current = new Map(rows.map((row) => [row.id, row]));
  const pages = data.pages.map((page) => ({ ...page, items: page.items.map((row) => current.get(row.id) ?? row) }));
  return { ...data, pages };
}

/** The rows in memory and the place of the first of them. A row that moved between two reads is kept once. */
export function rowsOf<Row extends { id: string }>(
  data: InfiniteData<ListPage<Row>, PagePlace> | undefined,
): { rows: Row[]; firstIndex: number } {
  const rows = new Map<string, Row>();
  for (const page of data?.pages ?? []) for (const row of page.items) if (!rows.has(row.id)) rows.set(row.id, row);
  return { rows: [...rows.values()], firstIndex: data?.pageParams[0]?.firstIndex ?? 0 };
}

/** Walks through the whole list, from its first row to its last, one page in memory at a time. */
export async function* walkPages<Row>(readPage: PageReader<Row>, signal: AbortSignal): AsyncGenerator<Row[]> {
  let cursor: string | null = startOfList.cursor;
  while (cursor !== null) {
    signal.throwIfAborted();
    const page: ListPage<Row> = await readPage(cursor, walkLimit, signal);
    yield page.items;
    cursor = page.nextCursor;
  }
}
