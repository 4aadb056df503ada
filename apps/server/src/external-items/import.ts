import { EntityType, type AnswerOf, type ImportResult, type LineFault, type Routes, visible } from "@crossdock/contract";
import type pg from "pg";
import { headerFaults, parseCsv, readCsvText, rowFault, type CsvRow } from "../api/csv.ts";
import { oneByOne } from "../db.ts";
import { itemIdOf } from "./item-id.ts";
import { notFound } from "../errors/errors.ts";
import { lineBecause } from "../errors/faults.ts";

const rowsMax = 50_000;
/** Of the errors told; a file that is wrong throughout says the same thing on every line. */
const errorsMax = 100;
const columns = ["integrationPoint", "entityType", "key", "externalId"] as const;
/** As an export of the list names it. */
const exportedNames = new Map([["integrationPointCode", "integrationPoint"]]);

type Item = { pointId: number; subtenantId: number; entityType: EntityType; key: string; externalId: string };
type Point = { id: number; code: string; subtenantId: number };

const pointsSql = `select id, code, subtenant_id as "subtenantId" from hub.integration_point where tenant_id = $1 and target_types <> '{}'`;

// So that what a delivery changes is known. In the order in which deliveries lock them.
const lockSql = `
  select from (
    select * from unnest($2::integer[], $3::text[], $4::text[]) as input (integration_point_id, entity_type, business_key) order by 1, 2, 3
  ) input
  cross join lateral (
    select from hub.external_item item
    where item.tenant_id = $1 and item.integration_point_id = input.integration_point_id and item.entity_type = input.entity_type
      and item.business_key = input.business_key
    for update
  ) item`;

// Sorted as deliveries write them. What is known already keeps what was delivered: only the name changes.
const importSql = `
  with input as materialized (
    select * from unnest($2::integer[], $3::text[], $4::text[], $5::integer[], $6::text[])
      as input (integration_point_id, entity_type, business_key, subtenant_id, external_id)
  ), known as materialized (
    select input.*, item.external_id as before, item.tenant_id is not null as is_known
    from input left join lateral (
      select tenant_id, external_id from hub.external_item item
      where item.tenant_id = $1 and item.integration_point_id = input.integration_point_id and item.entity_type = input.entity_type
        and item.business_key = input.business_key
      offset 0
    ) item on true
  ), changed as materialized (
    select * from known where not $7::boolean and (not is_known or before is distinct from external_id)
  ), written as (
    insert into hub.external_item as item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_at)
    select $1, integration_point_id, entity_type, business_key, subtenant_id, external_id, null
    from changed
    order by 2, 3, 4
    on conflict (tenant_id, integration_point_id, entity_type, business_key) do update set external_id = excluded.external_id
  ), import as materialized (
    select nextval('hub.external_item_import')::integer as id where exists (select from changed)
  ), kept as (
    insert into hub.external_item_imported (tenant_id, import_id, integration_point_id, entity_type, business_key, is_new, before, after)
    select $1, import.id, integration_point_id, entity_type, business_key, not is_known, before, external_id from changed, import
  )
  select count(*) filter (where not is_known)::integer as created,
    count(*) filter (where is_known and before is distinct from external_id)::integer as updated,
    count(*) filter (where is_known and before is not distinct from external_id)::integer as unchanged, (select id from import) as "importId"
  from known`;

/** Writes all lines or, when one of them is wrong or `isDryRun`, none. */
export async function importItems(client: pg.ClientBase, tenantId: number, csv: string, isDryRun: boolean): Promise<ImportResult> {
  const { rows: points } = await client.query<Point>(pointsSql, [tenantId]);
  const { items, nameless, faults } = readItems(parseCsv(csv), points);
  const isTrial = isDryRun || faults.length > 0;
  const places = [tenantId, items.map(({ pointId }) => pointId), items.map(({ entityType }) => entityType), items.map(({ key }) => key)];
  if (!isTrial) {
    await oneByOne(client, `external ids imported in ${tenantId}`);
    await client.query(lockSql, places);
  }
  const values = [...places, items.map(({ subtenantId }) => subtenantId), items.map(({ externalId }) => externalId), isTrial];
  const { rows } = await client.query<Pick<ImportResult, "created" | "updated" | "unchanged" | "importId">>(importSql, values);
  const { created = 0, updated = 0, unchanged = 0, importId = null } = rows[0] ?? {};
  return { created, updated, unchanged: unchanged + nameless, errors: faults.slice(0, errorsMax), errorCount: faults.length, importId };
}

// Locked as deliveries lock them.
const undoSql = `
  with import as (
    delete from hub.external_item_imported where tenant_id = $1 and import_id = $2 returning *
  ), unchanged as materialized (
    select item.integration_point_id, item.entity_type, item.business_key, import.is_new, import.before
    from import join hub.external_item item on item.tenant_id = $1 and item.integration_point_id = import.integration_point_id
      and item.entity_type = import.entity_type and item.business_key = import.business_key
    where item.external_id = import.after and not (import.is_new and item.delivered_at is not null)
    order by 1, 2, 3 for update of item
  ), restored as (
    update hub.external_item item set external_id = unchanged.before from unchanged
    where not is_new and item.tenant_id = $1 and item.integration_point_id = unchanged.integration_point_id
      and item.entity_type = unchanged.entity_type and item.business_key = unchanged.business_key
    returning 1
  ), removed as (
    delete from hub.external_item item using unchanged
    where is_new and item.tenant_id = $1 and item.integration_point_id = unchanged.integration_point_id
      and item.entity_type = unchanged.entity_type and item.business_key = unchanged.business_key
    returning 1
  )
  select (select count(*) from import)::integer as imported, (select count(*) from restored)::integer as restored,
    (select count(*) from removed)::integer as removed`;

type Undone = AnswerOf<Routes["undoExternalItemImport"]>;

/** Takes back what nobody has changed since. Throws not-found for an import that was taken back already, or can't be any more. */
export async function undoImport(client: pg.ClientBase, tenantId: number, importId: number): Promise<Undone> {
  const { rows } = await client.query<{ imported: number; restored: number; removed: number }>(undoSql, [tenantId, importId]);
  const { imported = 0, restored = 0, removed = 0 } = rows[0] ?? {};
  if (imported === 0) throw notFound();
  return { restored, removed, changed: imported - restored - removed };
}

/** `nameless`: lines of an export about what a target has given no id; they have nothing to import. */
function readItems([head, ...rows]: CsvRow[], points: Point[]): { items: Item[]; nameless: number; faults: LineFault[] } {
  const given = head?.cells.map((name) => name.trim()) ?? [];
  const isExport = given.some((name) => exportedNames.has(name));
  const names = given.map((name) => exportedNames.get(name) ?? name);
  // A line of names may be long, and is looked through once.
  const places = columns.map((column) => names.indexOf(column));
  const last = Math.max(...places);
  const wrongNames = headerFaults(names, columns);
  if (wrongNames.length > 0) return { items: [], nameless: 0, faults: wrongNames };
  if (rows.length > rowsMax) return { items: [], nameless: 0, faults: [lineBecause(1, "csv-too-many", { max: rowsMax })] };
  const pointByCode = new Map(points.map((point) => [point.code, point]));
  const lines = new Map<string, number>();
  const items: Item[] = [];
  let nameless = 0;
  const faults: LineFault[] = [];
  for (const row of rows) {
    const unread = rowFault(row, names.length, last);
    if (unread) {
      faults.push(unread);
      continue;
    }
    const { line, cells } = row;
    const [code = "", type = "", key = "", externalId = ""] = places.map((place) => readCsvText(cells[place]?.trim() ?? ""));
    if (isExport && externalId === "") {
      nameless += 1;
      continue;
    }
    const point = pointByCode.get(code);
    const entityType = EntityType.safeParse(type).data;
    const wrong = [
      !point && lineBecause(line, "csv-point", { code }),
      !entityType && lineBecause(line, "csv-entity-type", { type }),
      (key === "" || key.length > 500) && lineBecause(line, "csv-key"),
      !visible.test(key) && lineBecause(line, "csv-unseen", { column: "key" }),
      (externalId === "" || externalId.length > 500) && lineBecause(line, "csv-external-id"),
    ].filter((fault) => fault !== false);
    faults.push(...wrong);
    if (wrong.length > 0 || !point || !entityType) continue;
    const id = itemIdOf({ integrationPointId: point.id, entityType, key });
    const first = lines.get(id);
    if (first === undefined) items.push({ pointId: point.id, subtenantId: point.subtenantId, entityType, key, externalId });
    else faults.push(lineBecause(line, "csv-same-item", { line: first }));
    lines.set(id, first ?? line);
  }
  return { items, nameless, faults };
}
