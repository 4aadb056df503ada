import type { ReactNode } from "react";
import { useText } from "./i18n/i18n.tsx";
import type { ScanAddress } from "./scan.ts";
import { ScanStatus } from "./scan-status.tsx";
import type { List } from "./ui/use-list.ts";
import { useScan, type MergeRows } from "./use-scan.ts";

type ScannedListProps<Row> = {
  address: ScanAddress;
  /** Whether the list goes by time, the newest first, or by business keys. */
  by?: "time" | "key";
  merge?: MergeRows<Row>;
  /** How many the rows stand for, where that is not their number. */
  countOf?: (rows: readonly Row[]) => number;
  /** The rows so far, and what to say while there are none; `isWhole` when everything has been looked at. */
  children: (list: List<Row>, emptyTitle: string, isWhole: boolean) => ReactNode;
};

/** What no index answers: rows come as they are found. A changed search wants a new instance (a `key`). */
export function ScannedList<Row>({ address, by = "time", merge, countOf = ({ length }) => length, children }: ScannedListProps<Row>) {
  const t = useText();
  const scan = useScan<Row>(address, merge);
  const isWhole = scan.cursor === null;
  return (
    <>
      <ScanStatus scan={scan} by={by} count={countOf(scan.list.rows)} />
      {children(scan.list, isWhole ? t("state.noRecord") : t("scan.nothingYet"), isWhole)}
    </>
  );
}
