import { Columns3, Download } from "lucide-react";
import { Suspense, useRef, useState, type ReactNode } from "react";
import { useIntl } from "react-intl";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { Button, IconButton } from "./button.tsx";
import type { Column } from "./data-table/columns.ts";
import type { ExportSource } from "./export/use-export.ts";
import { countChosen, everything, isNothing, nothing, type Selection } from "./selection.ts";

const ViewPanel = lazyPart(() => import("./data-table/view-panel.tsx"));
const ExportDialog = lazyPart(() => import("./export/export-dialog.tsx"));

type Chosen = {
  selection: Selection;
  onSelect: (selection: Selection) => void;
  /** Rows in memory; when all of them are chosen, choosing what isn't loaded is offered too. */
  loaded: number;
  hasMore: boolean;
  /** How many match, when that is known. */
  matching: number | null;
  actions: ReactNode;
};

type TableToolbarProps<Row> = {
  name: string;
  label: string;
  columns: Column<Row>[];
  /** Without it the list is not exported. */
  exported?: ExportSource;
  chosen?: Chosen;
  children?: ReactNode;
};

/** What stands above a table: what is chosen and what can be done with it, the columns, the export. It keeps its height, so that rows don't move. */
export function TableToolbar<Row>({ name, label, columns, exported, chosen, children }: TableToolbarProps<Row>) {
  const t = useText();
  const viewButton = useRef<HTMLButtonElement>(null);
  const toolbar = useRef<HTMLDivElement>(null);
  const [viewedAtWidth, setViewedAtWidth] = useState<number | null>(null);
  const [isExportOpen, setIsExportOpen] = useState(false);
  return (
    <div
      ref={toolbar}
      data-toolbar
      className="-order-1 flex min-h-12 flex-wrap items-center gap-1 border-b border-line px-3 py-1 sm:gap-2 sm:px-4"
    >
      {chosen && <ChosenRows {...chosen} />}
      {children}
      <div className="ms-auto flex">
        <IconButton
          ref={viewButton}
          label={t("table.view")}
          aria-haspopup="dialog"
          aria-expanded={viewedAtWidth !== null}
          onClick={() => setViewedAtWidth(toolbar.current?.clientWidth ?? 0)}
        >
          <Columns3 aria-hidden className="size-4.5" />
        </IconButton>
        {exported && (
          <IconButton label={t("export.title")} aria-haspopup="dialog" onClick={() => setIsExportOpen(true)}>
            <Download aria-hidden className="size-4.5" />
          </IconButton>
        )}
      </div>
      <Suspense fallback={null}>
        {viewedAtWidth !== null && (
          <ViewPanel name={name} columns={columns} anchor={viewButton} tableWidth={viewedAtWidth} onClose={() => setViewedAtWidth(null)} />
        )}
        {exported && isExportOpen && <ExportDialog label={label} source={exported} onClose={() => setIsExportOpen(false)} />}
      </Suspense>
    </div>
  );
}

function ChosenRows({ selection, onSelect, loaded, hasMore, matching, actions }: Chosen) {
  const t = useText();
  const { formatNumber } = useIntl();
  const all = matching ?? (hasMore ? null : loaded);
  const count = countChosen(selection, all);
  const isAllOffered = hasMore && selection.kind === "some" && selection.ids.size >= loaded && loaded > 0;
  return (
    <>
      <p role="status" className="text-muted sm:me-2">
        {count === null ? t("table.allMatching") : t("table.selected", { count, shown: formatNumber(count) })}
      </p>
      {isAllOffered && (
        <Button look="plain" onClick={() => onSelect(everything)}>
          {all === null ? t("table.selectAllMatching") : t("table.selectAllCounted", { shown: formatNumber(all) })}
        </Button>
      )}
      {!isNothing(selection) && (
        <>
          {actions}
          <Button look="plain" onClick={() => onSelect(nothing)}>
            {t("table.clearSelection")}
          </Button>
        </>
      )}
    </>
  );
}
