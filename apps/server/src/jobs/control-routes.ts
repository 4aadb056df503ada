import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type Job } from "@crossdock/contract";
import type { Principal, TenantScope } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { addRoute } from "../api/route.ts";
import { copyDone, getJob, insertJob, lockJob, readSelection, undoKindOf } from "./rows.ts";

/** What people do with a counted job: start, pause, resume, cancel and undo it. */
export function registerJobControl(app: FastifyInstance, { pools }: Pick<Deps, "pools">): void {
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
      return move(client, tenantId, job, { isPermitted: job.state === "ready", sql: startSql, principal, values: [body.reason ?? null] });
    }),
  );

  addRoute(app, routes.pauseJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ({ state }) => state === "running", pauseSql),
  );
  addRoute(app, routes.resumeJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ({ canResume }) => canResume, resumeSql),
  );
  addRoute(app, routes.cancelJob, ({ tenant, principal, params: { jobId }, request }) =>
    changeState({ tenant, principal, request, jobId }, ({ state }) => state !== "done" && state !== "cancelled", cancelSql),
  );

  addRoute(app, routes.undoJob, ({ tenant: { tenantId }, principal, params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const job = await lockJob(client, tenantId, params.jobId);
      trail.isChange = job.undoneBy === null;
      return undo(client, tenantId, principal, job);
    }),
  );

  function changeState({ tenant, principal, request, jobId }: Named, permits: (job: Job) => boolean, sql: string): Promise<Job> {
    const { tenantId } = tenant;
    return change(pools.app, request, async (client, trail) => {
      const job = await lockJob(client, tenantId, jobId);
      trail.before = { state: job.state };
      const moved = await move(client, tenantId, job, { isPermitted: permits(job), sql, principal });
      trail.after = { state: moved.state };
      return moved;
    });
  }
}

type Named = { tenant: TenantScope; principal: Principal; request: FastifyRequest; jobId: number };

const startSql = `
  update hub.job set state = 'running', started_at = clock_timestamp(), next_at = clock_timestamp(), state_by = $3, reason = $4 where tenant_id = $1 and id = $2`;
const pauseSql = "update hub.job set state = 'paused', state_by = $3 where tenant_id = $1 and id = $2";
// Somebody who resumes a job that halted has seen what failed.
const resumeSql = `
  update hub.job set state = 'running', state_by = $3, next_at = clock_timestamp(), faults = 0, fault = null, is_halted = false, finished_at = null,
    stage_failed = case when is_halted then 0 else stage_failed end, stage_sent = case when is_halted and stage = 3 then 0 else stage_sent end
  where tenant_id = $1 and id = $2`;
const cancelSql = "update hub.job set state = 'cancelled', state_by = $3, finished_at = clock_timestamp() where tenant_id = $1 and id = $2";
const tellSql = "select pg_notify('jobs_changed', $1::text)";

type Move = { isPermitted: boolean; sql: string; principal: Principal; values?: unknown[] };

/** Changes a locked job's state. Where that isn't permitted, throws conflict with who brought it to its present state. */
async function move(client: pg.ClientBase, tenantId: number, job: Job, { isPermitted, sql, principal, values = [] }: Move): Promise<Job> {
  const { id, state, stateBy } = job;
  if (!isPermitted) {
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

/** The job that undoes the locked one; the same one when asked twice. Throws conflict when there is nothing to undo, or not yet. */
async function undo(client: pg.ClientBase, tenantId: number, principal: Principal, job: Job): Promise<Job> {
  if (job.undoneBy !== null) return getJob(client, tenantId, job.undoneBy);
  const kind = undoKindOf(job.kind);
  if (kind === null || !job.canUndo) throw new ApiError("conflict", because("job-not-undone"));
  const id = await insertJob(client, tenantId, principal, {
    subject: job.subject,
    kind,
    selection: null,
    total: job.done,
    undoOf: job.id,
  });
  await copyDone(client, tenantId, job.id, id);
  await client.query(tellSql, [tenantId]);
  return getJob(client, tenantId, id);
}
