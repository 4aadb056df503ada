import type { ReactNode } from "react";
import { DataTable, type DataTableProps } from "./data-table/data-table.tsx";
import type { ExportSource } from "./export/use-export.ts";
import type { Selection } from "./selection.ts";
import { TableToolbar } from "./table-toolbar.tsx";

type SelectableTableProps<Row extends { id: string }> = DataTableProps<Row> & {
  selection: Selection;
  onSelect: (selection: Selection) => void;
  exported: ExportSource;
  /** How many match, when that is known. */
  matching?: number | null;
  /** What can be done with the chosen rows. */
  actions: ReactNode;
  /** What else is in the toolbar. */
  children?: ReactNode;
};

/** A table whose rows can be chosen, below the toolbar with the actions for them. */
export function SelectableTable<Row extends { id: string }>(props: SelectableTableProps<Row>) {
  const { exported, matching = null, actions, children, ...table } = props;
  const { name, label, columns, list, selection, onSelect } = table;
  return (
    <>
      <TableToolbar
        {...{ name, label, columns, exported }}
        chosen={{ selection, onSelect, loaded: list.rows.length, hasMore: list.hasMore, matching, actions }}
      >
        {children}
      </TableToolbar>
      <DataTable {...table} />
    </>
  );
}
