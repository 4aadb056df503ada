import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type Job, type JobKind, type JobState, type ToolboxOperation } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { mayCaller, type Principal, type TenantScope } from "../access.ts";
import { actorName } from "../actors.ts";
import { pageAfter, readCursor } from "../cursors.ts";
import { change } from "../change.ts";
import { checkPayload, readConcealing } from "../concealing.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { because, faultBecause } from "../faults.ts";
import { createOnce } from "../idempotency.ts";
import { readMasking } from "../masking.ts";
import { addRoute } from "../route.ts";
import { noteToolboxRun } from "../toolbox-history.ts";
import { checkPatch } from "./document-patch.ts";
import { countDryRun, dryRun } from "./dry-run.ts";
import { insertExternal, selectExternal } from "./external.ts";
import { estimatePace } from "./pace.ts";
import { countRedirect, dryRunRedirect } from "./redirect-dry-run.ts";
import { isOpenQueue } from "./redirect-verdicts.ts";
import { copyDone, getJob, insertItems, insertJob, listItems, listJobs, lockJob, readSelection, undoKindOf } from "./rows.ts";
import { selectItems } from "./selection.ts";

const JobCursor = z.object({ id: z.int() });
/** What the toolbox calls a job of a kind. */
const toolboxNames: Partial<Record<JobKind, ToolboxOperation>> = {
  requeue: "redrive",
  "retry-now": "retry-now",
  remove: "purge",
  restore: "restore",
};

const ItemCursor = z.object({ id: z.string().regex(/^\d{1,18}$/) });

export function registerJobs(app: FastifyInstance, { pools, keys }: Deps, directory: AppParts["directory"]): void {
  addRoute(app, routes.listJobs, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const found = await listJobs(client, tenantId, readCursor(JobCursor, query.cursor)?.id ?? null, query.limit + 1);
      const rows = found.map((job) => shownTo(principal, job));
      return pageAfter(rows, query.limit, ({ id }) => ({ id }));
    }),
  );

  addRoute(app, routes.createJob, (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const { kind, selection, patch, failureLimit, queueId, isFromToolbox } = body;
      if (patch) checkPatch(patch);
      const concealing = await readConcealing(client, { tenantId, principal, key: keys.masking });
      if (queueId !== undefined && !(await isOpenQueue(client, tenantId, queueId)))
        throw new ApiError("validation-failed", { errors: [faultBecause("body/queueId", "queue-closed")] });
      const items = await selectItems(client, tenantId, kind, selection, concealing);
      const goingTo = queueId === undefined ? items : items.map(({ messageId }) => ({ messageId, queueId }));
      const perSecond = kind === "requeue" || patch || queueId !== undefined ? await estimatePace(client, tenantId, goingTo) : null;
      const patching = patch && { patch, failureLimit };
      const id = await insertJob(client, tenantId, principal, {
        kind,
        selection,
        total: items.length,
        perSecond,
        undoOf: null,
        patching,
        targetQueueId: queueId,
      });
      await insertItems(client, tenantId, id, items);
      const operation = toolboxNames[kind];
      if (isFromToolbox && operation && "filter" in selection)
        await noteToolboxRun(client, tenantId, principal, { operation, parameters: selection.filter, jobId: id });
      return getJob(client, tenantId, id);
    });
  });

  addRoute(app, routes.createExternalJob, (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    return createOnce(pools.app, tenantId, context, async (client) => {
      if ("filter" in body.selection) await checkPayload(client, { tenantId, principal, key: keys.masking }, body.selection.filter.payload);
      const items = await selectExternal(client, tenantId, principal, body);
      const { subject, kind, selection } = body;
      const id = await insertJob(client, tenantId, principal, {
        subject,
        kind,
        selection,
        total: items.length,
        perSecond: null,
        undoOf: null,
      });
      await insertExternal(client, tenantId, id, items);
      return getJob(client, tenantId, id);
    });
  });

  addRoute(app, routes.getJob, ({ tenant: { tenantId }, principal, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) => shownTo(principal, await getJob(client, tenantId, params.jobId))),
  );

  addRoute(app, routes.listJobItems, ({ tenant: { tenantId }, params: { jobId }, query: { cursor, limit, outcome } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await getJob(client, tenantId, jobId);
      const after = readCursor(ItemCursor, cursor)?.id ?? "0";
      const rows = await listItems(client, tenantId, { jobId, outcome, after, limit: limit + 1 });
      return pageAfter(rows, limit, ({ messageId }) => ({ id: messageId }));
    }),
  );

  addRoute(app, routes.dryRunJob, ({ tenant: { tenantId }, params: { jobId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const { items, nextCursor } = await dryRun(client, tenantId, { jobId, ...query });
      const { maskText } = await readMasking(client, tenantId, keys.masking);
      const masked = items.map((item) => ({ ...item, before: maskText(item.before), after: item.after && maskText(item.after) }));
      return { items: masked, nextCursor };
    }),
  );

  addRoute(app, routes.countDryRun, ({ tenant: { tenantId }, params: { jobId } }) =>
    inTenant(pools.readOnly, tenantId, (client) => countDryRun(client, tenantId, jobId)),
  );

  addRoute(app, routes.dryRunRedirect, async ({ tenant: { tenantId }, params: { jobId }, query }) => {
    const present = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, (client) => dryRunRedirect(client, tenantId, present, { jobId, ...query }));
  });

  addRoute(app, routes.countRedirect, async ({ tenant: { tenantId }, params: { jobId } }) => {
    const present = await directory.of(tenantId);
    return inTenant(pools.readOnly, tenantId, (client) => countRedirect(client, tenantId, present, jobId));
  });

  addRoute(app, routes.startJob, ({ tenant: { tenantId, tenantCode }, principal, params, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const job = await lockJob(client, tenantId, params.jobId);
      const { kind, total, patch, redirect } = job;
      trail.after = {
        kind,
        total,
        selection: await readSelection(client, tenantId, job.id),
        ...(patch && { patch }),
        ...(redirect && { redirect }),
      };
      requireConfirmation(job, tenantCode, body);
      return move(client, tenantId, job, { from: ["ready"], sql: startSql, principal, values: [body.reason ?? null] });
    }),
  );

  addRoute(app, routes.pauseJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ["running"], pauseSql),
  );
  addRoute(app, routes.resumeJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ["paused", "stopped"], resumeSql),
  );
  addRoute(app, routes.cancelJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ["ready", "running", "paused", "stopped"], cancelSql),
  );

  addRoute(app, routes.undoJob, ({ tenant: { tenantId }, principal, params, request }) =>
    change(pools.app, request, async (client) => undo(client, tenantId, principal, await lockJob(client, tenantId, params.jobId))),
  );

  function changeState({ tenant, principal, request, jobId }: Named, from: readonly JobState[], sql: string): Promise<Job> {
    const { tenantId } = tenant;
    return change(pools.app, request, async (client, trail) => {
      const job = await lockJob(client, tenantId, jobId);
      trail.before = { state: job.state };
      const moved = await move(client, tenantId, job, { from, sql, principal });
      trail.after = { state: moved.state };
      return moved;
    });
  }
}

type Named = { tenant: TenantScope; principal: Principal; request: FastifyRequest; jobId: number };

/** A patch names values as they are, which those who may not reveal do not see. */
const shownTo = (principal: Principal, job: Job): Job => (mayCaller(principal, "reveal") ? job : { ...job, patch: null });

const startSql = `
  update hub.job set state = 'running', started_at = clock_timestamp(), next_at = clock_timestamp(), state_by = $3, reason = $4 where tenant_id = $1 and id = $2`;
const pauseSql = "update hub.job set state = 'paused', state_by = $3 where tenant_id = $1 and id = $2";
// Who resumes a job that halted has seen what failed.
const resumeSql = `
  update hub.job set state = 'running', state_by = $3, next_at = clock_timestamp(), faults = 0, fault = null, is_halted = false,
    stage_failed = case when is_halted then 0 else stage_failed end, stage_sent = case when is_halted and stage = 3 then 0 else stage_sent end
  where tenant_id = $1 and id = $2`;
const cancelSql = "update hub.job set state = 'cancelled', state_by = $3, finished_at = clock_timestamp() where tenant_id = $1 and id = $2";
const tellSql = "select pg_notify('jobs_changed', $1::text)";

type Move = { from: readonly JobState[]; sql: string; principal: Principal; values?: unknown[] };

/** Changes a locked job's state. Throws conflict when it is in none of `from`, with who brought it where it is. */
async function move(client: pg.ClientBase, tenantId: number, job: Job, { from, sql, principal, values = [] }: Move): Promise<Job> {
  const { id, state, stateBy } = job;
  if (!from.includes(state)) {
    const why = stateBy === null ? because("job-state", { state }) : because("job-state-by", { state, name: stateBy });
    throw new ApiError("conflict", { ...why, current: { state, stateBy } });
  }
  await client.query(sql, [tenantId, id, await actorName(client, tenantId, principal), ...values]);
  await client.query(tellSql, [tenantId]);
  return getJob(client, tenantId, id);
}

type Confirmation = { total: number; confirmation?: string | undefined; reason?: string | undefined };

function requireConfirmation({ kind, total, mustConfirm }: Job, tenantCode: string, given: Confirmation): void {
  if (total === 0) throw new ApiError("conflict", because("job-empty"));
  if (given.total !== total) throw new ApiError("conflict", because("job-total", { total, given: given.total }));
  if (mustConfirm && given.confirmation !== tenantCode) throw new ApiError("bad-request", because("job-confirmation"));
  // Each copy keeps why it was made.
  if ((mustConfirm || kind === "patch" || kind === "redirect") && given.reason === undefined)
    throw new ApiError("bad-request", because("reason-needed"));
}

/** The job that takes back the locked one; asked twice, the same. Throws conflict where there is nothing to take back, or not yet. */
async function undo(client: pg.ClientBase, tenantId: number, principal: Principal, job: Job): Promise<Job> {
  if (job.undoneBy !== null) return getJob(client, tenantId, job.undoneBy);
  const kind = undoKindOf(job.kind);
  if (kind === null || !job.canUndo) throw new ApiError("conflict", because("job-not-undone"));
  const id = await insertJob(client, tenantId, principal, {
    subject: job.subject,
    kind,
    selection: null,
    total: job.done,
    perSecond: null,
    undoOf: job.id,
  });
  await copyDone(client, tenantId, job.id, id);
  await client.query(tellSql, [tenantId]);
  return getJob(client, tenantId, id);
}
