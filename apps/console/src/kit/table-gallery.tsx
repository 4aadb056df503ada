import { useMemo, useState } from "react";
import { Button } from "../ui/button.tsx";
import { Chip, type Tone } from "../ui/chip.tsx";
import { DataList } from "../ui/data-list.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { DataTable } from "../ui/data-table/data-table.tsx";
import { Drawer } from "../ui/drawer.tsx";
import { SelectField } from "../ui/field.tsx";
import { activeFilters, FilterBar } from "../ui/filter-bar.tsx";
import { FilterField } from "../ui/filter-fields.tsx";
import { listQuery, type PageReader } from "../ui/list-query.ts";
import { Card } from "../ui/page.tsx";
import { nothing, type Selection } from "../ui/selection.ts";
import { EmptyState } from "../ui/states.tsx";
import { TableToolbar } from "../ui/table-toolbar.tsx";
import { Time } from "../ui/time.tsx";
import { useList, wholeList } from "../ui/use-list.ts";
import { readSamplePage, sampleRow, type SampleRow } from "./sample-rows.ts";

const tones: Record<SampleRow["state"], Tone> = { fine: "ok", slow: "warn", broken: "bad" };
const counts = ["100000", "10000", "250", "0"];

const columns: Column<SampleRow>[] = [
  { id: "name", header: "Name", minWidth: 120, grow: 2, isTitle: true, sortKey: "name", cell: (row) => row.name },
  {
    id: "state",
    header: "State",
    minWidth: 90,
    grow: 1,
    cell: (row) => <Chip tone={tones[row.state]}>{row.state}</Chip>,
  },
  {
    id: "amount",
    header: "Amount",
    minWidth: 90,
    grow: 1,
    isNumeric: true,
    sortKey: "amount",
    cell: (row) => row.amount,
  },
  { id: "changed", header: "Changed", minWidth: 110, grow: 1, cell: (row) => <Time at={row.changedAt} /> },
  { id: "note", header: "Note", minWidth: 140, grow: 3, showFrom: 800, cell: (row) => row.note },
];

export function TableGallery() {
  const [filters, setFilters] = useState<Record<string, string>>({ count: "10000" });
  const count = Number(filters["count"] ?? "100");
  const set = (change: Record<string, string>) => setFilters({ ...filters, ...change });
  const names = { count: { name: "Rows" }, search: { name: "Search" } };
  return (
    <Card title="A list: filters, toolbar, table, drawer" className="mb-4">
      <FilterBar active={activeFilters(filters, names, (id) => set({ [id]: "" }))} onClear={() => setFilters({})}>
        <SelectField
          label="Rows"
          value={filters["count"] ?? ""}
          onChange={(next) => set({ count: next })}
          options={["", ...counts].map((value) => ({ value, label: value || "Any" }))}
        />
        <FilterField label="Search" value={filters["search"] ?? ""} onChange={(search) => set({ search })} isSearch />
      </FilterBar>
      <SampleTable key={count} count={count} />
    </Card>
  );
}

function SampleTable({ count }: { count: number }) {
  const [selection, setSelection] = useState<Selection>(nothing);
  const [openId, setOpenId] = useState<string>();
  const readPage = useMemo<PageReader<SampleRow>>(() => (cursor, limit, signal) => readSamplePage(count, cursor, limit, signal), [count]);
  const list = useList(listQuery(["kit", count], readPage));
  return (
    <>
      <DataList list={list} empty={<EmptyState title="No record found" />}>
        <TableToolbar
          name="kit"
          label="Samples"
          columns={columns}
          chosen={{
            selection,
            onSelect: setSelection,
            loaded: list.rows.length,
            hasMore: list.hasMore,
            matching: count,
            actions: <Button look="primary">Do something</Button>,
          }}
        >
          <Button onClick={() => setOpenId("3")}>Open the fourth</Button>
        </TableToolbar>
        <DataTable
          name="kit"
          label="Samples"
          list={list}
          columns={columns}
          labelOf={(row) => row.name}
          selection={selection}
          onSelect={setSelection}
          openId={openId}
        />
      </DataList>
      <Drawer
        isOpen={openId !== undefined}
        onClose={() => setOpenId(undefined)}
        title={`Sample ${openId ?? ""}`}
        onPrevious={Number(openId) > 0 ? () => setOpenId(String(Number(openId) - 1)) : null}
        onNext={Number(openId) < count - 1 ? () => setOpenId(String(Number(openId) + 1)) : null}
      >
        <Card title="What the drawer holds">
          <p className="p-4">{sampleRow(Number(openId ?? 0)).note}</p>
        </Card>
      </Drawer>
    </>
  );
}

/** A short list that is here as a whole can be sorted by its columns. */
export function SortedTable() {
  const [sort, setSort] = useState({ key: "name", isDescending: false });
  const rows = useMemo(() => {
    const sign = sort.isDescending ? -1 : 1;
    const valueOf = (row: SampleRow) => (sort.key === "amount" ? row.amount : Number(row.id));
    return Array.from({ length: 8 }, (_, index) => sampleRow(index * 13)).toSorted((one, other) => sign * (valueOf(one) - valueOf(other)));
  }, [sort]);
  return (
    <Card title="Sorted by its columns" className="mb-8">
      <DataTable
        name="kit-sorted"
        label="Sorted samples"
        list={wholeList(rows)}
        columns={columns}
        labelOf={(row) => row.name}
        sort={{ ...sort, onChange: (key, isDescending) => setSort({ key, isDescending }) }}
      />
    </Card>
  );
}
