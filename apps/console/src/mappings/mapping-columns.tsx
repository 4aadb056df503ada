import type { Subtenant } from "@crossdock/contract";
import { useMemo } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import type { Column } from "../ui/data-table/columns.ts";
import { InlineSelect, InlineText } from "../ui/inline-edit.tsx";
import { Time } from "../ui/time.tsx";
import { useConnectorChoices } from "./connector-choices.ts";
import type { MappingEdit } from "./operations.ts";
import type { MappingRow } from "./queries.ts";

type TextName = "fieldName" | "sourceValue" | "targetValue";
type Editing = {
  /** `before`: the edit that takes it back; none where what stood there is no choice any more. */
  onEdit: (row: MappingRow, edit: MappingEdit, before: MappingEdit | undefined) => Promise<unknown>;
  disabledReason: string | null;
};

/** The longest names of systems fit beside the arrow. */
const connectorWidth = 148;

/** `value` is what an export writes, and an import reads again. */
export function useMappingColumns(
  subtenants: Pick<Subtenant, "code" | "name">[] | undefined,
  { onEdit, disabledReason }: Editing,
): Column<MappingRow>[] {
  const t = useText();
  const { sources, targets } = useConnectorChoices();
  return useMemo(() => {
    const textColumn = (name: TextName, header: TextKey, isTitle = false): Column<MappingRow> => ({
      id: name,
      header: t(header),
      minWidth: 130,
      grow: 1.4,
      isEdited: true,
      isTitle,
      cell: (row) => (
        <InlineText
          label={t(header)}
          value={row[name]}
          isCode={name === "fieldName"}
          disabledReason={disabledReason}
          onSave={(value) => onEdit(row, { [name]: value }, { [name]: row[name] })}
        />
      ),
    });
    const all = { value: "", label: t("mappings.allSubtenants") };
    const options = [all, ...(subtenants ?? []).map(({ code, name }) => ({ value: code, label: name }))];
    return [
      textColumn("fieldName", "mappings.fieldName", true),
      {
        id: "source",
        header: t("mappings.source"),
        minWidth: connectorWidth,
        grow: 1,
        isEdited: true,
        cell: (row) => (
          <InlineSelect
            label={t("mappings.source")}
            value={row.source}
            options={sources}
            disabledReason={disabledReason}
            onSave={(source) => {
              const before = sources.find(({ value }) => value === row.source);
              return onEdit(row, { source }, before && { source: before.value });
            }}
          />
        ),
      },
      textColumn("sourceValue", "mappings.sourceValue"),
      {
        id: "target",
        header: t("mappings.target"),
        minWidth: connectorWidth,
        grow: 1,
        isEdited: true,
        cell: (row) => (
          <InlineSelect
            label={t("mappings.target")}
            value={row.target}
            options={targets}
            disabledReason={disabledReason}
            onSave={(target) => {
              const before = targets.find(({ value }) => value === row.target);
              return onEdit(row, { target }, before && { target: before.value });
            }}
          />
        ),
      },
      textColumn("targetValue", "mappings.targetValue"),
      {
        id: "subtenant",
        header: t("filter.subtenant"),
        minWidth: 190,
        grow: 1,
        showFrom: 920,
        isEdited: true,
        cell: (row) => (
          <InlineSelect
            label={t("filter.subtenant")}
            value={row.subtenantCode ?? ""}
            options={options}
            disabledReason={disabledReason}
            onSave={(value) => onEdit(row, { subtenantCode: value === "" ? null : value }, { subtenantCode: row.subtenantCode })}
          />
        ),
      },
      {
        id: "changed",
        header: t("mappings.changedAt"),
        minWidth: 130,
        grow: 0.6,
        showFrom: 1050,
        cell: ({ changedAt }) => <Time at={changedAt} />,
      },
    ];
  }, [subtenants, sources, targets, onEdit, disabledReason, t]);
}
