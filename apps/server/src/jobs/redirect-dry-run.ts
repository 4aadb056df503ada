import { dryRunMax, type RedirectCounts, type RedirectVerdict, type RedirectedMessage } from "@crossdock/contract";
import { findOvertaken, statesOf, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { countVerdicts, readVerdicts, type DryRun, type DryRunPage, type DryRunRequest } from "./dry-run.ts";
import { findUnfit } from "./redirect-verdicts.ts";
import { getJob } from "./rows.ts";

type Judged = MessagePlace & Pick<RedirectedMessage, "verdict" | "state" | "missing">;
type RedirectRun = DryRun<Judged> & { total: number };

/** Throws not-found, and conflict for a job of another kind. */
async function redirectRun(client: pg.ClientBase, tenantId: number, directory: TenantDirectory, jobId: number): Promise<RedirectRun> {
  const { redirect, total } = await getJob(client, tenantId, jobId);
  if (redirect === null) throw new ApiError("conflict", because("job-without-target"));
  const { queueId } = redirect;
  const judge: RedirectRun["judge"] = (messages) => judgeAll(client, tenantId, { queueId, messages, directory });
  return { client, tenantId, jobId, sliceSize: 500, judge, total };
}

/** What would become of each message, as things are now. */
async function judgeAll(
  client: pg.ClientBase,
  tenantId: number,
  { queueId, messages, directory }: { queueId: number; messages: readonly MessagePlace[]; directory: TenantDirectory },
): Promise<Judged[]> {
  const stateOf = await statesOf(client, { tenantId, messages });
  const unfit = await findUnfit(client, tenantId, { queueId, messages, directory });
  const overtaken = new Set(await findOvertaken(client, { tenantId, queueId, messages }));
  return messages.map((place): Judged => {
    const state = stateOf.get(place.messageId) ?? null;
    if (state === "superseded") return { ...place, verdict: "superseded", state: null, missing: null };
    if (state !== "ready" && state !== "retrying" && state !== "parked" && state !== "dead") {
      return { ...place, verdict: "gone", state, missing: null };
    }
    const why = unfit.get(place.messageId);
    if (why !== undefined) return { ...place, verdict: why.fault, state: null, missing: why.missing };
    return { ...place, verdict: overtaken.has(place.messageId) ? "superseded" : "fits", state: null, missing: null };
  });
}

const namesSql = `
  select place.id as "messageId", message.key, queue.name as "queueName"
  from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  join queue.queue on queue.tenant_id = $1 and queue.id = place.queue_id
  left join lateral (
    select key from queue.message own where own.tenant_id = $1 and own.queue_id = place.queue_id and own.id = place.id offset 0
  ) message on true`;

/** The job's messages, oldest first, and whether each would go. */
export async function dryRunRedirect(
  client: pg.ClientBase,
  tenantId: number,
  directory: TenantDirectory,
  request: DryRunRequest<RedirectVerdict>,
): Promise<DryRunPage<RedirectedMessage>> {
  const { items, nextCursor } = await readVerdicts(await redirectRun(client, tenantId, directory, request.jobId), request);
  const columns = [items.map(({ queueId }) => queueId), items.map(({ messageId }) => messageId)];
  const { rows } = await client.query<Pick<RedirectedMessage, "messageId" | "key" | "queueName">>(namesSql, [tenantId, ...columns]);
  const names = new Map(rows.map((row) => [row.messageId, row]));
  const told = items.map(({ messageId, verdict, state, missing }): RedirectedMessage => {
    const { key = null, queueName = "" } = names.get(messageId) ?? {};
    return { messageId, key, queueName, verdict, state, missing };
  });
  return { items: told, nextCursor };
}

export async function countRedirect(
  client: pg.ClientBase,
  tenantId: number,
  directory: TenantDirectory,
  jobId: number,
): Promise<RedirectCounts> {
  const run = await redirectRun(client, tenantId, directory, jobId);
  const { counts } = await countVerdicts(run);
  return { counts, isExact: run.total <= dryRunMax };
}
