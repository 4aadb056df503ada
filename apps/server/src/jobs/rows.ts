import {
  Fault,
  MessageState,
  RedirectFault,
  jobItemsMax,
  stageSizes,
  unconfirmedMax,
  type DocumentPatch,
  type ExternalJobRequest,
  type Job,
  type JobItem,
  type JobKind,
  type JobOutcome,
  type JobSelection,
  type JobState,
  type JobSubject,
} from "@crossdock/contract";
import type { CheckCount, MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import type { Principal } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { mask } from "../masking/headers.ts";

/** What became of an item of a job. */
export type ItemResult = { messageId: string; outcome: Exclude<JobOutcome, "waiting">; detail: string | null; successorId?: string };

type AnySelection = JobSelection | ExternalJobRequest["selection"];

type JobRow = Omit<Job, "filter" | "mustConfirm" | "canResume" | "canUndo" | "secondsLeft" | "stage"> & {
  selection: AnySelection;
  pointName: string | null;
  stage: number | null;
  stageSent: number;
  stageFailed: number;
};

const columns = `
  job.id, job.subject, job.kind, job.state, job.selection, job.total, job.done, job.skipped, job.failed, job.per_second as "perSecond", job.fault, job.reason,
  job.patch, job.failure_limit as "failureLimit", job.stage, job.stage_sent as "stageSent", job.stage_failed as "stageFailed", job.in_flight as "inFlight",
  case when target.id is not null
    then json_build_object('queueId', target.id, 'queueName', target.name, 'integrationPointName', target_point.name) end as redirect,
  array(select name from queue.queue own where own.tenant_id = job.tenant_id and own.id = any(job.queue_ids) order by name) as "queueNames",
  wanted_point.name as "pointName", job.is_halted as "isHalted", job.state_by as "stateBy",
  coalesce(nullif(person.name, ''), person.email, api_key.name, '') as "createdByName", queue.iso(job.created_at) as "createdAt",
  queue.iso(job.started_at) as "startedAt", queue.iso(job.finished_at) as "finishedAt", job.undo_of as "undoOf", undo.id as "undoneBy"`;
const tables = `
  hub.job
  left join hub."user" person on person.id = job.created_by
  left join hub.api_key on api_key.tenant_id = job.tenant_id and api_key.id = job.api_key_id
  left join hub.job undo on undo.tenant_id = job.tenant_id and undo.undo_of = job.id and undo.state <> 'cancelled'
  left join queue.queue target on target.tenant_id = job.tenant_id and target.id = job.target_queue_id
  left join hub.integration_point target_point on target_point.tenant_id = target.tenant_id and target_point.id = target.target_id
  left join hub.integration_point wanted_point
    on wanted_point.tenant_id = job.tenant_id and wanted_point.id = (job.selection -> 'filter' ->> 'integrationPointId')::integer`;

const listSql = `
  select ${columns} from ${tables}
  where job.tenant_id = $1 and job.started_at is not null and ($2::integer is null or job.id < $2)
  order by job.id desc limit $3`;

export async function listJobs(client: pg.ClientBase, tenantId: number, before: number | null, limit: number): Promise<Job[]> {
  return (await client.query<JobRow>(listSql, [tenantId, before, limit])).rows.map(toJob);
}

const getSql = `select ${columns} from ${tables} where job.tenant_id = $1 and job.id = $2`;

/** Throws not-found. */
export async function getJob(client: pg.ClientBase, tenantId: number, jobId: number): Promise<Job> {
  const row = (await client.query<JobRow>(getSql, [tenantId, jobId])).rows[0];
  if (!row) throw notFound();
  return toJob(row);
}

const lockSql = "select from hub.job where tenant_id = $1 and id = $2 for update";

/** The job, locked against everybody else, its runner included. Throws not-found. */
export async function lockJob(client: pg.ClientBase, tenantId: number, jobId: number): Promise<Job> {
  await client.query(lockSql, [tenantId, jobId]);
  return getJob(client, tenantId, jobId);
}

/** What the job was asked to be about. */
export async function readSelection(client: pg.ClientBase, tenantId: number, jobId: number): Promise<AnySelection | null> {
  const sql = "select selection from hub.job where tenant_id = $1 and id = $2";
  return (await client.query<{ selection: AnySelection }>(sql, [tenantId, jobId])).rows[0]?.selection ?? null;
}

const undoable: Record<JobKind, JobKind | null> = {
  "retry-now": null,
  requeue: null,
  remove: "restore",
  restore: "remove",
  patch: null,
  replay: null,
  // What still waits goes back to the queue that it came from.
  redirect: "redirect",
};

/** The kind of job that undoes one of this kind; null where none can. */
export const undoKindOf = (kind: JobKind): JobKind | null => undoable[kind];

function toJob({ selection, pointName, stage, stageSent, stageFailed, ...row }: JobRow): Job {
  const { kind, state, total, done, skipped, failed, perSecond, startedAt, undoneBy, undoOf } = row;
  const left = total - done - skipped - failed;
  return {
    ...row,
    filter: "ids" in selection ? null : toldFilter(selection.filter, pointName),
    stage: stage === null ? null : { number: stage + 1, size: stageSizes[stage] ?? null, sent: stageSent, failed: stageFailed },
    mustConfirm: total > unconfirmedMax || isOfEverything(selection),
    secondsLeft: perSecond !== null && perSecond > 0 && !isOver(state) ? Math.ceil(left / perSecond) : null,
    // One that takes another back is made anew instead.
    canResume: stands(state) || (state === "cancelled" && startedAt !== null && left > 0 && undoneBy === null && undoOf === null),
    canUndo:
      undoKindOf(kind) !== null &&
      isOver(state) &&
      startedAt !== null &&
      done > 0 &&
      undoneBy === null &&
      !(kind === "redirect" && undoOf !== null),
  };
}

const stands = (state: JobState): boolean => state === "paused" || state === "stopped";
const isOver = (state: JobState): boolean => state === "done" || state === "cancelled";

/** What is looked for in documents may be what tells a person apart, and everybody who reads here sees a job. The queues are told by their names. */
function toldFilter(filter: Record<string, unknown>, pointName: string | null): Record<string, string> {
  const { queueId: _, removed: __, integrationPointId, search, payload, ...plain } = filter;
  const told: Record<string, unknown> = {
    ...plain,
    ...(integrationPointId !== undefined && { integrationPointId: pointName ?? integrationPointId }),
    ...(search !== undefined && { search: mask }),
    ...(payload !== undefined && { payload: mask }),
  };
  return Object.fromEntries(Object.entries(told).map(([name, value]) => [name, Array.isArray(value) ? value.join(", ") : String(value)]));
}

/** A filter that names nothing but states selects whatever there is. */
function isOfEverything(selection: AnySelection): boolean {
  if ("ids" in selection) return false;
  const narrowing = Object.entries(selection.filter).flatMap(([name, value]) => (name === "state" || name === "removed" ? [] : [value]));
  return narrowing.every((value) => value === undefined);
}

const insertSql = `
  insert into hub.job (tenant_id, subject, kind, selection, total, created_by, api_key_id, undo_of, queue_ids, state, started_at, actor_name, patch, failure_limit, stage, target_queue_id)
  values ($1, $11, $2, coalesce($3, (select selection from hub.job where tenant_id = $1 and id = $7)), $4, $5, $6, $7,
    coalesce((select queue_ids from hub.job where tenant_id = $1 and id = $7), '{}'),
    case when $7::integer is null then 'ready' else 'running' end, case when $7::integer is null then null else now() end,
    $8, $9, $10, case when $9::jsonb is not null then 0 end, $12)
  returning id`;

/** Without a selection of its own it has that of the job it takes back, and its queues. */
type NewJob = {
  /** Messages if absent. */
  subject?: JobSubject;
  kind: JobKind;
  selection: AnySelection | null;
  /** Absent while its items are still to be noted: see `setTotal`. */
  total?: number;
  undoOf: number | null;
  /** For a bulk patch. */
  patching?: { patch: DocumentPatch; failureLimit: number } | undefined;
  /** For a redirect: the queue to go to. */
  targetQueueId?: number | undefined;
};

/** A job that undoes another runs at once: that one had been confirmed. */
export async function insertJob(client: pg.ClientBase, tenantId: number, principal: Principal, job: NewJob): Promise<number> {
  const [userId, apiKeyId] = principal.kind === "user" ? [principal.userId, null] : [null, principal.apiKeyId];
  const values = [
    tenantId,
    job.kind,
    job.selection && JSON.stringify(job.selection),
    job.total ?? 0,
    userId,
    apiKeyId,
    job.undoOf,
    await actorName(client, tenantId, principal),
    job.patching ? JSON.stringify(job.patching.patch) : null,
    job.patching?.failureLimit ?? null,
    job.subject ?? "messages",
    job.targetQueueId ?? null,
  ];
  const id = (await client.query<{ id: number }>(insertSql, values)).rows[0]?.id;
  if (id === undefined) throw new Error("the insert answered no job");
  return id;
}

const setTotalSql = "update hub.job set total = $3, per_second = $4, queue_ids = $5 where tenant_id = $1 and id = $2";

type Counted = { total: number; perSecond: number | null; queueIds: number[] };

/** Of a new job, once its items are noted. */
export async function setTotal(
  client: pg.ClientBase,
  tenantId: number,
  id: number,
  { total, perSecond, queueIds }: Counted,
): Promise<void> {
  await client.query(setTotalSql, [tenantId, id, total, perSecond, queueIds]);
}

/** Throws bad-request where a job would get more items than one takes. */
export function checkTotal(total: number): void {
  if (total > jobItemsMax) throw new ApiError("bad-request", because("too-many-match", { max: jobItemsMax }));
}

/** How much all that matches, but for `spared` of it, may be for one job. What is too much is refused before an item is noted. */
export function boundsBut(spared: number): { limit: number; check: CheckCount } {
  return { limit: jobItemsMax + spared + 1, check: (count) => checkTotal(count - spared) };
}

const insertItemsSql = `
  with placed as (
    insert into hub.job_item (tenant_id, job_id, queue_id, message_id)
    select $1, $2, place.queue_id, place.id from unnest($3::integer[], $4::bigint[]) as place (queue_id, id)
    returning queue_id
  )
  select queue_id as "queueId", count(*)::integer as count from placed group by queue_id`;

/** Notes the messages of a new job as they are found: memory holds a portion of them. How many there are of each queue. */
export async function insertItems(
  client: pg.ClientBase,
  tenantId: number,
  jobId: number,
  portions: AsyncIterable<MessagePlace[]>,
): Promise<Map<number, number>> {
  const byQueue = new Map<number, number>();
  let total = 0;
  for await (const items of portions) {
    const values = [tenantId, jobId, items.map(({ queueId }) => queueId), items.map(({ messageId }) => messageId)];
    const { rows } = await client.query<{ queueId: number; count: number }>(insertItemsSql, values);
    for (const { queueId, count } of rows) {
      byQueue.set(queueId, (byQueue.get(queueId) ?? 0) + count);
      total += count;
    }
    checkTotal(total);
  }
  return byQueue;
}

// A removed external item goes by the number that its removal gave it, a redirected message by its copy's id and queue.
const copyDoneSql = `
  insert into hub.job_item (tenant_id, job_id, queue_id, message_id, integration_point_id, entity_type, business_key, system)
  select item.tenant_id, $3, coalesce(job.target_queue_id, item.queue_id), coalesce(item.successor_id, item.message_id), item.integration_point_id,
    item.entity_type, item.business_key, item.system
  from hub.job_item item join hub.job on job.tenant_id = item.tenant_id and job.id = item.job_id
  where item.tenant_id = $1 and item.job_id = $2 and item.outcome = 'done'`;

/** What `from` did becomes what `to` has to do. */
export async function copyDone(client: pg.ClientBase, tenantId: number, from: number, to: number): Promise<void> {
  await client.query(copyDoneSql, [tenantId, from, to]);
}

const placesSql = `
  select queue_id as "queueId", message_id as "messageId" from hub.job_item
  where tenant_id = $1 and job_id = $2 and message_id > $3 order by message_id limit $4`;

/** The job's messages behind one of them, oldest first. */
export async function readPlaces(
  client: pg.ClientBase,
  tenantId: number,
  jobId: number,
  after: string,
  limit: number,
): Promise<MessagePlace[]> {
  return (await client.query<MessagePlace>(placesSql, [tenantId, jobId, after, limit])).rows;
}

type ItemRow = Pick<JobItem, "messageId" | "key" | "queueName" | "outcome" | "successorId"> & { detail: string | null };

const itemsSql = `
  select item.message_id as "messageId", coalesce(message.key, item.business_key) as key, queue.name as "queueName", coalesce(item.outcome, 'waiting') as outcome, item.detail,
    item.successor_id as "successorId"
  from hub.job_item item
  left join queue.queue on queue.tenant_id = item.tenant_id and queue.id = item.queue_id
  left join lateral (
    select key from queue.message message
    where message.tenant_id = item.tenant_id and message.queue_id = item.queue_id and message.id = item.message_id offset 0
  ) message on true
  where item.tenant_id = $1 and item.job_id = $2 and item.message_id > $3 and ($4::text is null or item.outcome is not distinct from nullif($4, 'waiting'))
    and ($6::bigint[] is null or item.message_id = any($6))
  order by item.message_id limit $5`;

type ItemRequest = {
  jobId: number;
  outcome: JobOutcome | undefined;
  /** Null: all. */
  among: readonly string[] | null;
  after: string;
  limit: number;
};

export async function listItems(client: pg.ClientBase, tenantId: number, request: ItemRequest): Promise<JobItem[]> {
  const { jobId, outcome, among, after, limit } = request;
  const { rows } = await client.query<ItemRow>(itemsSql, [tenantId, jobId, after, outcome ?? null, limit, among]);
  return rows.map(({ detail, ...item }) => ({
    ...item,
    isUnchanged: item.outcome === "skipped" && detail === "unchanged",
    foundIn: item.outcome === "skipped" ? toState(detail) : null,
    ...failureOf(item.outcome, detail),
  }));
}

/** What the detail of a failed item is begins it: `faults`, `unfit`, where a redirect's reason goes before what is said of it, or `told`. */
function failureOf(outcome: JobOutcome, detail: string | null): Pick<JobItem, "unfit" | "error" | "faults"> {
  if (outcome !== "failed" || detail === null) return { unfit: null, error: null, faults: [] };
  const [, kind, kept = ""] = /^(\w+) (.*)$/s.exec(detail) ?? [];
  if (kind === "told") return { unfit: null, error: kept || null, faults: [] };
  if (kind === "faults") {
    const faults = z.array(Fault).parse(JSON.parse(kept));
    return { unfit: null, error: faults.map(faultText).join("; "), faults };
  }
  const [, name, said] = /^([a-z-]+) ?(.*)$/s.exec(kept) ?? [];
  return { unfit: RedirectFault.parse(name), error: said || null, faults: [] };
}

const faultText = ({ path, message }: Fault): string => (path === "" ? message : `${path}: ${message}`);

/** So many are kept of what is wrong with one item; a document that is wrong throughout says the same over and over. */
const faultsMax = 10;

/** How a job notes what is wrong with an item, so that each fault keeps its name and values. */
export const faultsDetail = (faults: readonly Fault[]): string => `faults ${JSON.stringify(faults.slice(0, faultsMax))}`;

/** How a job notes what was said of a message, which may be a target's own words. */
export const toldDetail = (text: string): string => `told ${text}`;

/** How a redirect notes why an item can't go. */
export const unfitDetail = (fault: RedirectFault, said: string | null): string => `unfit ${fault} ${said ?? ""}`.trim();

const toState = (detail: string | null): MessageState | null => MessageState.nullable().catch(null).parse(detail);
