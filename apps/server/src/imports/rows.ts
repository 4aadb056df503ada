import { Fault, type EntityType } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";
import type { Principal } from "../access/access.ts";
import { actorSql, actorValues } from "../access/actor.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { ColumnMapping } from "./documents.ts";
import type { Format } from "./readers.ts";

type NewImport = {
  integrationPointId: number;
  entityType: EntityType;
  name: string;
  format: Format;
  element: string;
  mapping: ColumnMapping;
};

/** Until its next part has to be there: a file that stops arriving is given up then (see giveUpUploads). */
const nextPartBySql = "clock_timestamp() + interval '30 minutes'";

// A lease without end: no worker takes the run up before all parts are there.
const runSql = `
  insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, actor_name, lease_until, rests_until)
  select $1, 'import', point.subtenant_id, point.id, $3, ${actorSql("$1", "$4", "$5")}, 'infinity', ${nextPartBySql}
  from hub.integration_point point where point.tenant_id = $1 and point.id = $2
  returning id`;
const fileSql = "insert into hub.import_file (tenant_id, run_id, name, format, element, mapping) values ($1, $2, $3, $4, $5, $6)";

/** Null if the tenant has no such integration point. */
export async function insertImport(client: pg.ClientBase, tenantId: number, principal: Principal, file: NewImport): Promise<number | null> {
  const values = [tenantId, file.integrationPointId, file.entityType, ...actorValues(principal)];
  const [run] = (await client.query<{ id: number }>(runSql, values)).rows;
  if (!run) return null;
  await client.query(fileSql, [tenantId, run.id, file.name, file.format, file.element, JSON.stringify(file.mapping)]);
  return run.id;
}

// The run first, as whoever works on it does.
const lockSql = `
  select file.is_complete as "isComplete", run.state, run.is_cancelling as "isCancelling"
  from hub.import_file file join hub.run on run.tenant_id = file.tenant_id and run.id = file.run_id
  where file.tenant_id = $1 and file.run_id = $2 for update of run, file`;

/** Locks an import until the transaction ends. Throws not-found, and conflict where no more of its file is taken. */
export async function lockArriving(client: pg.ClientBase, tenantId: number, runId: number): Promise<void> {
  const { rows } = await client.query<{ isComplete: boolean; state: string; isCancelling: boolean }>(lockSql, [tenantId, runId]);
  if (!rows[0]) throw notFound();
  const { isComplete, state, isCancelling } = rows[0];
  if (isComplete) throw new ApiError("conflict", because("import-started"));
  if (state !== "waiting") throw new ApiError("conflict", because(isCancelling ? "import-cancelled" : "import-given-up"));
}

const partSql = `
  insert into hub.import_part (tenant_id, run_id, number, content) values ($1, $2, $3, $4)
  on conflict (tenant_id, run_id, number) do update set content = excluded.content`;

export async function putPart(client: pg.ClientBase, tenantId: number, runId: number, number: number, text: string): Promise<void> {
  await client.query(partSql, [tenantId, runId, number, text]);
  await client.query(`update hub.run set rests_until = ${nextPartBySql} where tenant_id = $1 and id = $2`, [tenantId, runId]);
}

const countSql =
  "select count(*)::integer as count, coalesce(max(number), 0) as last from hub.import_part where tenant_id = $1 and run_id = $2";

export async function countParts(client: pg.ClientBase, tenantId: number, runId: number): Promise<{ count: number; last: number }> {
  return (await client.query<{ count: number; last: number }>(countSql, [tenantId, runId])).rows[0] ?? { count: 0, last: 0 };
}

export async function openImport(client: pg.ClientBase, tenantId: number, runId: number, total: number | null): Promise<void> {
  await client.query("update hub.import_file set is_complete = true where tenant_id = $1 and run_id = $2", [tenantId, runId]);
  await client.query("update hub.run set lease_until = null, rests_until = null, total = $3 where tenant_id = $1 and id = $2", [
    tenantId,
    runId,
    total,
  ]);
}

export type StoredImport = { format: Format; element: string; mapping: ColumnMapping; rowCount: number };
const fileOfSql = `
  select format, element, mapping, row_count as "rowCount" from hub.import_file where tenant_id = $1 and run_id = $2`;

export async function readImport(client: pg.ClientBase, tenantId: number, runId: number): Promise<StoredImport | null> {
  return (await client.query<StoredImport>(fileOfSql, [tenantId, runId])).rows[0] ?? null;
}

const contentSql = "select content from hub.import_part where tenant_id = $1 and run_id = $2 and number = $3";

/** Null after the last part. */
export async function readPart(client: pg.ClientBase, tenantId: number, runId: number, number: number): Promise<string | null> {
  return (await client.query<{ content: string }>(contentSql, [tenantId, runId, number])).rows[0]?.content ?? null;
}

export async function moveRowCount(client: pg.ClientBase, tenantId: number, runId: number, rowCount: number): Promise<void> {
  await client.query("update hub.import_file set row_count = $3 where tenant_id = $1 and run_id = $2", [tenantId, runId, rowCount]);
}

/** A line of an imported file that did not fit, with its reasons. */
const RejectedLine = z.object({ line: z.number(), faults: z.array(Fault) });
export type RejectedLine = z.infer<typeof RejectedLine>;
const RejectedLines = z.array(RejectedLine);

const rejectionSql = "insert into hub.import_rejection (tenant_id, run_id, row_count, lines) values ($1, $2, $3, $4)";

export async function insertRejection(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  rowCount: number,
  lines: RejectedLine[],
): Promise<void> {
  await client.query(rejectionSql, [tenantId, runId, rowCount, JSON.stringify(lines)]);
}

const rejectionsSql = `
  select row_count as "rowCount", lines from hub.import_rejection
  where tenant_id = $1 and run_id = $2 and row_count > $3 order by row_count limit 10`;

/** What did not fit of the batches that reached places behind this one, of some of them. */
export async function readRejections(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  after: number,
): Promise<{ rowCount: number; lines: RejectedLine[] }[]> {
  const { rows } = await client.query<{ rowCount: number; lines: string }>(rejectionsSql, [tenantId, runId, after]);
  return rows.map(({ rowCount, lines }) => ({ rowCount, lines: RejectedLines.parse(JSON.parse(lines)) }));
}
