import type { FastifyInstance } from "fastify";
import { routes, type Job } from "@crossdock/contract";
import { z } from "zod";
import type { AppParts } from "../app-parts.ts";
import { mayCaller, type Principal } from "../access/access.ts";
import { IdCursor, pageAfter, readCursor } from "../api/cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";
import { registerJobControl } from "./control-routes.ts";
import { registerDryRuns } from "./dry-run-routes.ts";
import { insertExternal, selectExternal } from "./external.ts";
import { makeJob } from "./make-job.ts";
import { getJob, insertJob, listItems, listJobs, setTotal } from "./rows.ts";
import { countStates, itemsInState } from "./states.ts";

const JobCursor = z.object({ id: z.int() });

export function registerJobs(app: FastifyInstance, deps: Deps, directory: AppParts["directory"]): void {
  const { pools, keys } = deps;
  registerDryRuns(app, deps, directory);
  registerJobControl(app, deps);

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
      const id = await makeJob(client, tenantId, principal, keys.masking, body);
      return getJob(client, tenantId, id);
    });
  });

  addRoute(app, routes.createExternalJob, (context) => {
    const { tenant, principal, body } = context;
    const { tenantId } = tenant;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const { subject, kind, selection } = body;
      const id = await insertJob(client, tenantId, principal, { subject, kind, selection, undoOf: null });
      const places = selectExternal(client, { tenantId, principal, key: keys.masking }, body);
      const total = await insertExternal(client, tenantId, id, places);
      await setTotal(client, tenantId, id, { total, perSecond: null, queueIds: [] });
      return getJob(client, tenantId, id);
    });
  });

  addRoute(app, routes.getJob, ({ tenant: { tenantId }, principal, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) => shownTo(principal, await getJob(client, tenantId, params.jobId))),
  );

  addRoute(app, routes.getJobStates, ({ tenant: { tenantId }, params: { jobId } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => countStates(client, tenantId, await getJob(client, tenantId, jobId))),
  );

  addRoute(app, routes.listJobItems, ({ tenant: { tenantId }, params: { jobId }, query: { cursor, limit, outcome, state } }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await getJob(client, tenantId, jobId);
      const after = readCursor(IdCursor, cursor)?.id ?? "0";
      const among = state === undefined ? null : await itemsInState(client, tenantId, jobId, state);
      const rows = await listItems(client, tenantId, { jobId, outcome, among, after, limit: limit + 1 });
      return pageAfter(rows, limit, ({ messageId }) => ({ id: messageId }));
    }),
  );
}

/** A patch names values as they are, which those who may not reveal do not see. */
const shownTo = (principal: Principal, job: Job): Job => (mayCaller(principal, "reveal") ? job : { ...job, patch: null });
