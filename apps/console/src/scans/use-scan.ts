import { useEffect, useEffectEvent, useRef, useState } from "react";
import { readScan, type ScanAddress } from "./scan.ts";
import { wholeList, type List } from "../ui/use-list.ts";

/** Rows after which a scan waits until somebody scrolls to them. */
const runLimit = 100;

type Progress<Row> = {
  rows: Row[];
  /** Where the next run goes on; null when everything has been looked at. */
  cursor: string | null;
  /** The time, or the key of lists by key, that the search has got to; null before the first answer, and when all have been. */
  searchedTo: string | null;
  /** The operator stopped it, or the server after a while: only the button goes on. */
  isStopped: boolean;
  isRunning: boolean;
  error: Error | null;
};

export type Scan<Row> = Omit<Progress<Row>, "rows" | "error"> & { list: List<Row>; stop: () => void; resume: () => void };

const start: Progress<never> = { rows: [], cursor: "", searchedTo: null, isStopped: false, isRunning: true, error: null };

/** How what a step found comes to the rows so far. */
export type MergeRows<Row> = (known: Row[], found: Row[]) => Row[];

/** Runs a slow search while it is on the screen. A changed search wants a new instance (a `key`). */
export function useScan<Row>(addressOf: ScanAddress, merge: MergeRows<Row> = (known, found) => [...known, ...found]): Scan<Row> {
  const [progress, setProgress] = useState<Progress<Row>>(start);
  const running = useRef<AbortController | null>(null);

  async function run(cursor: string): Promise<void> {
    running.current?.abort();
    const stop = new AbortController();
    running.current = stop;
    let found = 0;
    const tell = (change: (known: Progress<Row>) => Partial<Progress<Row>>): void => {
      if (running.current === stop) setProgress((known) => ({ ...known, ...change(known) }));
    };
    tell(() => ({ isRunning: true, isStopped: false, error: null }));
    try {
      const address = addressOf({ ...(cursor && { cursor }), limit: runLimit });
      for await (const line of readScan<Row>(address, stop.signal)) {
        found += line.items.length;
        tell(({ rows }) => ({ rows: merge(rows, line.items), cursor: line.nextCursor, searchedTo: line.searchedTo }));
      }
      tell(() => ({ isRunning: false, isStopped: found < runLimit }));
    } catch (error) {
      const isAborted = stop.signal.aborted;
      tell(() => ({
        isRunning: false,
        isStopped: true,
        error: isAborted ? null : error instanceof Error ? error : new Error(String(error)),
      }));
    }
  }

  const runFirst = useEffectEvent(() => void run(""));
  useEffect(() => {
    runFirst();
    return () => {
      running.current?.abort();
      running.current = null;
    };
  }, []);

  const { rows, error, ...rest } = progress;
  const hasMore = rest.cursor !== null && !rest.isStopped;
  const resume = () => rest.cursor !== null && !rest.isRunning && void run(rest.cursor);
  return {
    ...rest,
    resume,
    stop: () => running.current?.abort(),
    list: {
      ...wholeList(rows),
      hasMore,
      isLoadingMore: rest.isRunning,
      isPending: rest.isRunning && rows.length === 0,
      error: rows.length === 0 ? error : null,
      loadMore: () => hasMore && resume(),
      restart: () => {
        setProgress(start);
        void run("");
      },
    },
  };
}
