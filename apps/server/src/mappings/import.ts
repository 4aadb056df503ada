import { MappingContent, type CsvImported, type LineFault } from "@crossdock/contract";
import type pg from "pg";
import type { z } from "zod";
import { headerFaults, parseCsv, readCsvText, rowFault, type CsvRow } from "../api/csv.ts";
import { lineBecause } from "../errors/faults.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import { describeCycle } from "./check.ts";
import { findCycle } from "./cycles.ts";
import { readAllMappings, type MappingRow } from "./rows.ts";

const rowsMax = 50_000;
/** The most errors reported; a file that is wrong throughout says the same thing on every line. */
const errorsMax = 100;
/** The columns' names, as in an export of the list. */
const exportedNames = new Map([["subtenantCode", "subtenant"]]);
const required = ["fieldName", "source", "sourceValue", "target", "targetValue"] as const;

type Line = Omit<MappingRow, "id"> & { line: number };

const writeSql = `
  insert into hub.mapping as mapping (tenant_id, subtenant_id, field_name, source, source_value, target, target_value)
  select $1, * from unnest($2::integer[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[])
  on conflict (tenant_id, field_name, source, target, source_value, subtenant_id) do update
  set target_value = excluded.target_value, version = mapping.version + 1, changed_at = now()`;

/** Writes all lines or, when one of them is wrong or `isDryRun`, none. Call under lockMappings. */
export async function importMappings(client: pg.ClientBase, tenantId: number, csv: string, isDryRun: boolean): Promise<CsvImported> {
  const codes = await readSubtenantCodes(client, tenantId);
  const { lines, faults } = readLines(parseCsv(csv), new Map([...codes].map(([id, code]) => [code, id])));
  const known = new Map((await readAllMappings(client, tenantId)).map((row) => [nameOf(row), row]));
  const created = lines.filter((line) => !known.has(nameOf(line)));
  const updated = lines.filter((line) => (known.get(nameOf(line))?.targetValue ?? line.targetValue) !== line.targetValue);
  faults.push(...findNewCycle([...known.values()], lines));
  if (!isDryRun && faults.length === 0) await write(client, tenantId, [...created, ...updated]);
  return {
    created: created.length,
    updated: updated.length,
    unchanged: lines.length - created.length - updated.length,
    errors: faults.slice(0, errorsMax),
    errorCount: faults.length,
  };
}

async function write(client: pg.ClientBase, tenantId: number, lines: readonly Line[]): Promise<void> {
  if (lines.length === 0) return;
  await client.query(writeSql, [
    tenantId,
    lines.map(({ subtenantId }) => subtenantId),
    lines.map(({ fieldName }) => fieldName),
    lines.map(({ source }) => source),
    lines.map(({ sourceValue }) => sourceValue),
    lines.map(({ target }) => target),
    lines.map(({ targetValue }) => targetValue),
  ]);
}

const nameOf = ({ subtenantId, fieldName, source, sourceValue, target }: Omit<MappingRow, "id">): string =>
  JSON.stringify([subtenantId, fieldName, source, target, sourceValue]);

function findNewCycle(known: readonly MappingRow[], lines: readonly Line[]): LineFault[] {
  const after = new Map([...known, ...lines].map((row) => [nameOf(row), row]));
  const cycle = findCycle([...after.values()]);
  if (!cycle) return [];
  const [from, to] = cycle.stations;
  const line = lines.find(
    ({ fieldName, source, sourceValue, target }) =>
      fieldName === cycle.fieldName &&
      cycle.stations.some(({ system, value }) => system === source && value === sourceValue) &&
      cycle.stations.some(({ system }) => system === target),
  );
  return from && to ? [lineBecause(line?.line ?? 1, "csv-cycle", { cycle: describeCycle(cycle) })] : [];
}

function readLines([head, ...rows]: CsvRow[], subtenants: ReadonlyMap<string, number>): { lines: Line[]; faults: LineFault[] } {
  const names = head?.cells.map((name) => exportedNames.get(name.trim()) ?? name.trim()) ?? [];
  const wrongNames = headerFaults(names, required, ["subtenant"]);
  if (wrongNames.length > 0) return { lines: [], faults: wrongNames };
  if (rows.length > rowsMax) return { lines: [], faults: [lineBecause(1, "csv-too-many", { max: rowsMax })] };
  const seen = new Map<string, number>();
  const lines: Line[] = [];
  const faults: LineFault[] = [];
  // A line of names may be long, and is looked through once.
  const places = new Map(names.map((name, index): [string, number] => [name, index]));
  const last = Math.max(...required.map((name) => places.get(name) ?? -1));
  for (const row of rows) {
    const unread = rowFault(row, names.length, last);
    if (unread) {
      faults.push(unread);
      continue;
    }
    const { line, cells } = row;
    // Values are taken as they are, as a space may belong to them; names are not.
    const cell = (name: string): string => readCsvText(cells[places.get(name) ?? -1] ?? "");
    const subtenant = cell("subtenant").trim();
    const content = MappingContent.safeParse({
      subtenantCode: subtenant === "" ? null : subtenant,
      fieldName: cell("fieldName").trim(),
      source: cell("source").trim(),
      sourceValue: cell("sourceValue"),
      target: cell("target").trim(),
      targetValue: cell("targetValue"),
    });
    const subtenantId = subtenant === "" ? null : subtenants.get(subtenant);
    const wrong = [
      ...(subtenantId === undefined ? [lineBecause(line, "csv-subtenant", { code: subtenant })] : []),
      ...(content.error?.issues.map((issue) => faultIn(line, issue, cell)) ?? []),
    ];
    faults.push(...wrong);
    if (wrong.length > 0 || !content.success || subtenantId === undefined) continue;
    const { subtenantCode: _, ...values } = content.data;
    const read = { ...values, subtenantId, line };
    const first = seen.get(nameOf(read));
    if (first === undefined) lines.push(read);
    else faults.push(lineBecause(line, "csv-same-value", { line: first }));
    seen.set(nameOf(read), first ?? line);
  }
  return { lines, faults };
}

function faultIn(line: number, { code, path }: z.core.$ZodIssue, cell: (name: string) => string): LineFault {
  const column = String(path[0]);
  const value = cell(column).slice(0, 100);
  if (column === "source" || column === "target") return lineBecause(line, "csv-connector", { column, value });
  if (column === "fieldName") return lineBecause(line, "csv-field-name", { value });
  return lineBecause(line, code === "too_big" ? "csv-too-long" : "csv-unseen", { column });
}
