import type { EntityType } from "@crossdock/contract";
import { columnFields } from "../canonical-fields.ts";
import { useText } from "../i18n/i18n.tsx";
import { SelectField } from "../ui/field.tsx";

type Mapping = Record<string, string>;
type ColumnsProps = { columns: readonly string[]; entityType: EntityType; mapping: Mapping; onChange: (mapping: Mapping) => void };

/** Which field each column of the file fills. Two columns can't fill the same one: the later choice takes it. */
export function ImportColumns({ columns, entityType, mapping, onChange }: ColumnsProps) {
  const t = useText();
  const fields = columnFields(entityType);
  // Without a mapping the columns are the fields.
  const read =
    Object.keys(mapping).length > 0
      ? mapping
      : Object.fromEntries(columns.filter((name) => fields.includes(name)).map((name) => [name, name]));
  const fieldOf = (column: string) => Object.keys(read).find((field) => read[field] === column) ?? "";
  // A text that is the same for all begins so.
  const offered = columns.filter((column) => !column.startsWith("="));

  function choose(column: string, field: string): void {
    const others = Object.entries(read).filter(([path, name]) => name !== column && path !== field);
    onChange(Object.fromEntries(field === "" ? others : [...others, [field, column]]));
  }

  if (offered.length === 0) return null;
  return (
    <fieldset>
      <legend className="mb-1 text-muted">{t("import.columns")}</legend>
      <div className="grid max-h-64 grid-cols-1 gap-2 overflow-y-auto sm:grid-cols-2">
        {offered.map((column) => (
          <SelectField
            key={column}
            label={column}
            value={fieldOf(column)}
            onChange={(field) => choose(column, field)}
            options={["", ...new Set([...fields, ...Object.keys(read)])].map((field) => ({
              value: field,
              label: field || t("import.leftOut"),
            }))}
          />
        ))}
      </div>
    </fieldset>
  );
}
