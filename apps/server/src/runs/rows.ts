import type { AnswerOf, Rejected, Routes, Run, RunLine, RunState } from "@crossdock/contract";
import type pg from "pg";
import type { Principal } from "../access/access.ts";
import { actorSql, actorValues } from "../access/actor.ts";
import { notFound } from "../errors/errors.ts";
import { readLineText } from "./line-text.ts";

const runColumns = `
  run.id, run.kind, run.schedule_id as "scheduleId", subtenant.code as "subtenantCode", point.id as "integrationPointId",
  point.name as "integrationPointName", run.entity_type as "entityType", run.state, run.is_cancelling as "isCancelling", run.is_pausing as "isPausing",
  (run.options->>'ofRun')::integer as "ofRun", run.actor_name as "startedBy", run.options->>'reason' as reason, run.total, run.done, run.accepted,
  run.unchanged, run.rejected, run.differing, run.fault,
  queue.iso(run.created_at) as "createdAt", queue.iso(run.started_at) as "startedAt", queue.iso(run.finished_at) as "finishedAt"`;
const runTables = `
  hub.run
  join hub.subtenant on subtenant.tenant_id = run.tenant_id and subtenant.id = run.subtenant_id
  left join hub.integration_point point on point.tenant_id = run.tenant_id and point.id = run.integration_point_id`;

const listRunsSql = `
  select ${runColumns} from ${runTables}
  where run.tenant_id = $1 and ($2::text is null or subtenant.code = $2) and ($3::integer is null or run.schedule_id = $3)
    and ($4::text is null or run.state = $4)
    and (
      $5::text is null or $5 = 'none' and run.rejected = 0 or $5 = 'some' and run.rejected > 0 and run.rejected < run.done
      or $5 = 'all' and run.rejected > 0 and run.rejected >= run.done
    )
    and ($6::integer is null or run.id < $6)
  order by run.id desc limit $7`;

type RunFilter = {
  subtenant?: string | undefined;
  schedule?: number | undefined;
  state?: RunState | undefined;
  rejected?: Rejected | undefined;
};

export async function listRuns(
  client: pg.ClientBase,
  tenantId: number,
  filter: RunFilter,
  before: number | null,
  limit: number,
): Promise<Run[]> {
  const { subtenant = null, schedule = null, state = null, rejected = null } = filter;
  return (await client.query<Run>(listRunsSql, [tenantId, subtenant, schedule, state, rejected, before, limit])).rows;
}

const getRunSql = `select ${runColumns} from ${runTables} where run.tenant_id = $1 and run.id = $2`;

const lockRunSql = "select from hub.run where tenant_id = $1 and id = $2 for no key update";

/** Throws not-found. With `lock` the run stays as it is until the transaction ends. */
export async function getRun(client: pg.ClientBase, tenantId: number, id: number, lock?: "lock"): Promise<Run> {
  if (lock) await client.query(lockRunSql, [tenantId, id]);
  const [run] = (await client.query<Run>(getRunSql, [tenantId, id])).rows;
  if (!run) throw notFound();
  return run;
}

const linesSql = `
  select id::text, queue.iso(at) as at, level, text from hub.run_line line where tenant_id = $1 and run_id = $2 and id > $3::bigint order by line.id limit $4`;

export async function listRunLines(
  client: pg.ClientBase,
  tenantId: number,
  runId: number,
  after: string,
  limit: number,
): Promise<RunLine[]> {
  const { rows } = await client.query<Omit<RunLine, "line" | "faults">>(linesSql, [tenantId, runId, after, limit]);
  return rows.map((row) => ({ ...row, ...readLineText(row.text) }));
}

// A run that nobody works on ends at once; one that is being worked on ends itself.
const cancelSql = `
  update hub.run
  set is_cancelling = true, state = case when state in ('waiting', 'paused') then 'cancelled' else state end,
    finished_at = case when state in ('waiting', 'paused') then clock_timestamp() end, rests_until = null
  where tenant_id = $1 and id = $2 and state in ('waiting', 'running', 'paused') returning id`;

export async function cancelRun(client: pg.ClientBase, tenantId: number, id: number): Promise<boolean> {
  return (await client.query(cancelSql, [tenantId, id])).rowCount === 1;
}

// An import whose file is still arriving cannot be paused: it has no place to go on from.
const pauseSql = `
  update hub.run
  set is_pausing = state = 'running', state = case when state = 'waiting' then 'paused' else state end
  where tenant_id = $1 and id = $2 and state in ('waiting', 'running') and not is_cancelling and lease_until is distinct from 'infinity' returning id`;

export async function pauseRun(client: pg.ClientBase, tenantId: number, id: number): Promise<boolean> {
  return (await client.query(pauseSql, [tenantId, id])).rowCount === 1;
}

const resumeSql = `
  update hub.run set state = case when state = 'paused' then 'waiting' else state end, is_pausing = false
  where tenant_id = $1 and id = $2 and (state = 'paused' or is_pausing) returning id`;

export async function resumeRun(client: pg.ClientBase, tenantId: number, id: number): Promise<boolean> {
  return (await client.query(resumeSql, [tenantId, id])).rowCount === 1;
}

type NewRun = {
  kind: Run["kind"];
  /** Null for an export, which names its subtenant instead. */
  integrationPointId: number | null;
  subtenantCode?: string | undefined;
  entityType: string;
  options: object;
  total?: number;
};

const insertSql = `
  insert into hub.run (tenant_id, kind, subtenant_id, integration_point_id, entity_type, actor_name, options, total)
  select $1, $2, subtenant.id, point.id, $5, ${actorSql("$1", "$6", "$7")}, $8, $9
  from hub.subtenant
  left join hub.integration_point point on point.tenant_id = $1 and point.id = $3
  where subtenant.tenant_id = $1 and ($3::integer is null and subtenant.code = $4 or subtenant.id = point.subtenant_id)
  on conflict do nothing
  returning id`;

/** Null if the target already has an open run of this kind. */
export async function insertRun(client: pg.ClientBase, tenantId: number, principal: Principal, run: NewRun): Promise<number | null> {
  const { kind, integrationPointId, subtenantCode = null, entityType, options, total = null } = run;
  const values = [tenantId, kind, integrationPointId, subtenantCode, entityType, ...actorValues(principal), JSON.stringify(options), total];
  return (await client.query<{ id: number }>(insertSql, values)).rows[0]?.id ?? null;
}

type RunFile = AnswerOf<Routes["getRun"]>["file"];

const fileSql = `
  select name, format, element, mapping,
    format <> 'xml' and exists (
      select from hub.import_rejection rejection where rejection.tenant_id = file.tenant_id and rejection.run_id = file.run_id
    ) as "hasRejectedRows"
  from hub.import_file file where tenant_id = $1 and run_id = $2`;

/** Null of what is no import. */
export async function readFileOf(client: pg.ClientBase, tenantId: number, runId: number): Promise<RunFile> {
  return (await client.query<NonNullable<RunFile>>(fileSql, [tenantId, runId])).rows[0] ?? null;
}
