import type { ReactNode } from "react";
import { useText } from "../i18n/i18n.tsx";
import type { ScanAddress } from "./scan.ts";
import { ScanStatus } from "./scan-status.tsx";
import type { listQuery } from "../ui/list-query.ts";
import { useList, type List } from "../ui/use-list.ts";
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

type ListOrScanProps<Row> = {
  /** The list's filters alone: with others a scan begins anew. */
  search: object;
  isScan: boolean;
  query: ReturnType<typeof listQuery<Row>>;
  scan: ScanAddress;
  by?: "time" | "key";
  children: (list: List<Row>, emptyTitle: string, isScan: boolean) => ReactNode;
};

/** A list page by page, or where no index answers its filters by a scan. */
export function ListOrScan<Row extends { id: string }>({ search, isScan, query, scan, by = "time", children }: ListOrScanProps<Row>) {
  if (!isScan) return <Listed query={query}>{children}</Listed>;
  return (
    <ScannedList<Row> key={JSON.stringify(search)} address={scan} by={by}>
      {(list, emptyTitle) => children(list, emptyTitle, true)}
    </ScannedList>
  );
}

function Listed<Row extends { id: string }>({ query, children }: Pick<ListOrScanProps<Row>, "query" | "children">) {
  const t = useText();
  const list = useList(query);
  return children(list, t("state.noRecord"), false);
}
