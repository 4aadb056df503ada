import { useQuery } from "@tanstack/react-query";
import { Plus, Trash2, Upload } from "lucide-react";
import { Suspense, useCallback, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { directMax } from "../jobs/queries.ts";
import { isEverything } from "../message-filters/everything.ts";
import { useRoleReason } from "../session/role-texts.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { DataList } from "../ui/data-list.tsx";
import { countChosen, idsOf, isNothing, nothing, useSelection, type Selection } from "../ui/selection.ts";
import { SelectableTable } from "../ui/selectable-table.tsx";
import { EmptyState } from "../ui/states.tsx";
import { useList } from "../ui/use-list.ts";
import { subtenantsQuery } from "../session/workspace.ts";
import { useMappingColumns } from "./mapping-columns.tsx";
import { filtersOf, MappingFilters } from "./mapping-filters.tsx";
import { useImport, useRemoveMappings, useUpdateMapping, type MappingEdit } from "./operations.ts";
import { mappingCountQuery, mappingExport, mappingPages, mappingsQuery, type MappingRow } from "./queries.ts";
import type { MappingSearch } from "./search.ts";

const MappingForm = lazyPart(() => import("./mapping-form.tsx"));
const ImportDialog = lazyPart(() => import("../import-dialog.tsx"));

type MappingListProps = { tenantCode: string; search: MappingSearch; onFilter: (search: MappingSearch) => void };

export function MappingList({ tenantCode, search, onFilter }: MappingListProps) {
  const t = useText();
  const [selection, setSelection] = useSelection(search);
  const isChosen = !isNothing(selection);
  const disabledReason = useRoleReason("operate");
  const list = useList(mappingsQuery(tenantCode, search));
  const { data: count } = useQuery(mappingCountQuery(tenantCode, search));
  const { data: subtenants } = useQuery(subtenantsQuery(tenantCode));
  const { mutateAsync: update } = useUpdateMapping(tenantCode);
  const onEdit = useCallback(
    (row: MappingRow, edit: MappingEdit, before: MappingEdit | undefined) => update({ row, edit, before }),
    [update],
  );
  const columns = useMappingColumns(subtenants, { onEdit, disabledReason });
  const matching = count?.isExact ? count.count : null;
  const table = { name: "mappings", label: t("menu.mappings"), columns };
  return (
    <>
      <MappingFilters tenantCode={tenantCode} search={search} onChange={onFilter} />
      <DataList
        list={list}
        isChosen={isChosen}
        isInUse={isChosen}
        empty={<EmptyState title={t("state.noRecord")} hint={t("mappings.emptyHint")} />}
      >
        <SelectableTable
          {...table}
          list={list}
          labelOf={({ fieldName, sourceValue, target }) => `${fieldName} ${sourceValue} → ${target}`}
          selection={selection}
          onSelect={setSelection}
          exported={mappingExport(tenantCode, search)}
          matching={matching}
          actions={
            <RemoveButton
              tenantCode={tenantCode}
              search={search}
              selection={selection}
              matching={matching}
              disabledReason={disabledReason}
              onDone={() => setSelection(nothing)}
            />
          }
        />
      </DataList>
    </>
  );
}

/** Ways to new rows: one by one and from a file. */
export function MappingAdditions({ tenantCode }: { tenantCode: string }) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  const send = useImport(tenantCode);
  const [open, setOpen] = useState<"form" | "import" | null>(null);
  const close = () => setOpen(null);
  return (
    <>
      <Button disabledReason={disabledReason} onClick={() => setOpen("import")}>
        <Upload aria-hidden className="size-4" />
        {t("externalItems.import")}
      </Button>
      <Button look="primary" disabledReason={disabledReason} onClick={() => setOpen("form")}>
        <Plus aria-hidden className="size-4" />
        {t("mappings.add")}
      </Button>
      <Suspense fallback={null}>
        {open === "form" && <MappingForm tenantCode={tenantCode} onClose={close} />}
        {open === "import" && (
          <ImportDialog
            tenantCode={tenantCode}
            hint={t("mappings.importHint")}
            send={send}
            imported={(count) => t("mappings.imported", { count })}
            onClose={close}
          />
        )}
      </Suspense>
    </>
  );
}

type RemoveButtonProps = {
  tenantCode: string;
  search: MappingSearch;
  selection: Selection;
  matching: number | null;
  disabledReason: string | null;
  onDone: () => void;
};

function RemoveButton({ tenantCode, search, selection, matching, disabledReason, onDone }: RemoveButtonProps) {
  const t = useText();
  const remove = useRemoveMappings(tenantCode);
  const [isAsking, setIsAsking] = useState(false);
  const count = countChosen(selection, matching);

  async function removeChosen(): Promise<void> {
    await remove.mutateAsync(() => idsOf(selection, mappingPages(tenantCode, search), new AbortController().signal));
    setIsAsking(false);
    onDone();
  }

  return (
    <>
      <Button look="danger" disabledReason={disabledReason} onClick={() => setIsAsking(true)}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
      {isAsking && (
        <ConfirmDialog
          onClose={() => setIsAsking(false)}
          title={count === null ? t("mappings.confirmRemoveAll") : t("mappings.confirmRemove", { count })}
          text={t("mappings.removeText")}
          actionLabel={t("action.remove")}
          look="danger"
          typedWord={count === null || count > directMax || isEverything(selection, filtersOf(search), matching) ? tenantCode : null}
          onConfirm={removeChosen}
        />
      )}
    </>
  );
}
