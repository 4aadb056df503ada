import { Popover } from "@base-ui/react/popover";
import { ArrowDown, ArrowUp, Minus, Plus } from "lucide-react";
import type { RefObject } from "react";
import { useText } from "../../i18n/i18n.tsx";
import { Button, IconButton } from "../button.tsx";
import { Checkbox, RadioGroup } from "../choice.tsx";
import { columnWidth, emptyLayout, isColumnShown, moveColumn, orderColumns, type Column, type ColumnLayout } from "./columns.ts";
import { densities, density, layoutOf } from "./layout-store.ts";

type ViewPanelProps<Row> = {
  name: string;
  columns: Column<Row>[];
  anchor: RefObject<HTMLElement | null>;
  /** Decides which columns are shown until the operator does. */
  tableWidth: number;
  onClose: () => void;
};

/** Which columns a table shows, in which order and how wide, and how close its rows stand. Kept in this browser. */
export default function ViewPanel<Row>({ name, columns, anchor, tableWidth, onClose }: ViewPanelProps<Row>) {
  const t = useText();
  const store = layoutOf(name);
  const layout = store.use();
  return (
    <Popover.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Popover.Portal>
        <Popover.Positioner anchor={anchor} align="end" sideOffset={6} className="z-30">
          <Popover.Popup
            finalFocus={anchor}
            className="max-h-[min(32rem,80dvh)] w-[min(22rem,calc(100vw-1.5rem))] animate-appear overflow-y-auto rounded-card border border-line bg-paper p-4 text-ink shadow-xl"
          >
            <Popover.Title className="font-semibold">{t("table.view")}</Popover.Title>
            <div className="mt-3">
              <RadioGroup
                label={t("table.density")}
                value={density.use()}
                onChange={density.set}
                options={densities.map((value) => ({ value, label: t(value === "compact" ? "table.compact" : "table.comfortable") }))}
              />
            </div>
            <fieldset className="mt-4">
              <legend className="text-xs text-muted">{t("table.columns")}</legend>
              <ul className="mt-1">
                {orderColumns(columns, layout.order).map((column) => (
                  <ColumnEntry
                    key={column.id}
                    column={column}
                    columns={columns}
                    tableWidth={tableWidth}
                    layout={layout}
                    onChange={store.set}
                  />
                ))}
              </ul>
            </fieldset>
            <Button className="mt-3" onClick={() => store.set(emptyLayout)}>
              {t("table.resetColumns")}
            </Button>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}

type ColumnEntryProps<Row> = {
  column: Column<Row>;
  columns: Column<Row>[];
  tableWidth: number;
  layout: ColumnLayout;
  onChange: (layout: ColumnLayout) => void;
};

function ColumnEntry<Row>({ column, columns, tableWidth, layout, onChange }: ColumnEntryProps<Row>) {
  const t = useText();
  const { id, header } = column;
  const move = (step: -1 | 1) => onChange({ ...layout, order: moveColumn(columns, layout.order, id, step) });
  function widen(steps: number): void {
    const width = (layout.widths[id] ?? column.minWidth) + steps * columnWidth.step;
    onChange({ ...layout, widths: { ...layout.widths, [id]: Math.min(columnWidth.max, Math.max(columnWidth.min, width)) } });
  }
  const fixed = column.isTitle ? t("table.titleColumn") : null;
  const actions = [
    { label: t("table.moveUp", { column: header }), Icon: ArrowUp, run: () => move(-1), disabledReason: fixed },
    { label: t("table.moveDown", { column: header }), Icon: ArrowDown, run: () => move(1), disabledReason: fixed },
    { label: t("table.narrower", { column: header }), Icon: Minus, run: () => widen(-1) },
    { label: t("table.wider", { column: header }), Icon: Plus, run: () => widen(1) },
  ];
  return (
    <li className="flex min-h-9 items-center">
      <Checkbox
        label={header}
        isOn={isColumnShown(column, layout, tableWidth)}
        onChange={(isShown) => onChange({ ...layout, isShown: { ...layout.isShown, [id]: isShown } })}
        disabledReason={fixed}
        className="min-w-0 flex-1"
      />
      {actions.map(({ label, Icon, run, disabledReason }) => (
        <IconButton key={label} label={label} disabledReason={disabledReason} className="size-8 aria-disabled:opacity-40" onClick={run}>
          <Icon aria-hidden className="size-4" />
        </IconButton>
      ))}
    </li>
  );
}
