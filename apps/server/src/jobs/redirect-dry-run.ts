import { dryRunMax, type RedirectCounts, type RedirectVerdict, type RedirectedMessage } from "@crossdock/contract";
import { findOvertaken, statesOf, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors.ts";
import { because } from "../faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { findUnfit } from "./redirect-verdicts.ts";
import { getJob, readPlaces } from "./rows.ts";

/** How many messages are judged before other work gets a turn. */
const sliceSize = 500;
/** Slices that one page looks through for a verdict that is rare; the caller goes on from its cursor. */
const slicesMax = 10;

/** Throws not-found, and conflict for a job of another kind. */
async function targetOf(client: pg.ClientBase, tenantId: number, jobId: number): Promise<{ queueId: number; total: number }> {
  const { redirect, total } = await getJob(client, tenantId, jobId);
  if (redirect === null) throw new ApiError("conflict", because("job-without-target"));
  return { queueId: redirect.queueId, total };
}

type Judged = Pick<RedirectedMessage, "messageId" | "verdict" | "state" | "missing">;

/** What would become of each message, as things are now. */
async function judge(
  client: pg.ClientBase,
  tenantId: number,
  { queueId, messages, directory }: { queueId: number; messages: readonly MessagePlace[]; directory: TenantDirectory },
): Promise<Judged[]> {
  const stateOf = await statesOf(client, { tenantId, messages });
  const unfit = await findUnfit(client, tenantId, { queueId, messages, directory });
  const overtaken = new Set(await findOvertaken(client, { tenantId, queueId, messages }));
  return messages.map(({ messageId }): Judged => {
    const state = stateOf.get(messageId) ?? null;
    if (state === "superseded") return { messageId, verdict: "superseded", state: null, missing: null };
    if (state !== "ready" && state !== "retrying" && state !== "parked" && state !== "dead") {
      return { messageId, verdict: "gone", state, missing: null };
    }
    const why = unfit.get(messageId);
    if (why !== undefined) return { messageId, verdict: why.fault, state: null, missing: why.missing };
    return { messageId, verdict: overtaken.has(messageId) ? "superseded" : "fits", state: null, missing: null };
  });
}

type Page = { items: RedirectedMessage[]; nextCursor: string | null };
type Request = { jobId: number; cursor?: string | undefined; limit: number; verdict?: RedirectVerdict | undefined };

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
  { jobId, cursor, limit, verdict }: Request,
): Promise<Page> {
  const { queueId } = await targetOf(client, tenantId, jobId);
  const items: RedirectedMessage[] = [];
  let after = cursor ?? "0";
  for (let slice = 0; slice < slicesMax; slice++) {
    const messages = await readPlaces(client, tenantId, jobId, after, sliceSize);
    const judged = await judge(client, tenantId, { queueId, messages, directory });
    const wanted = judged.filter((item) => verdict === undefined || item.verdict === verdict).slice(0, limit - items.length);
    items.push(...(await named(client, tenantId, messages, wanted)));
    if (items.length === limit) return { items, nextCursor: items.at(-1)?.messageId ?? null };
    const last = messages.at(-1);
    if (last === undefined || messages.length < sliceSize) return { items, nextCursor: null };
    after = last.messageId;
    await breathe();
  }
  return { items, nextCursor: after };
}

async function named(
  client: pg.ClientBase,
  tenantId: number,
  messages: readonly MessagePlace[],
  judged: readonly Judged[],
): Promise<RedirectedMessage[]> {
  const columns = [messages.map(({ queueId }) => queueId), messages.map(({ messageId }) => messageId)];
  const { rows } = await client.query<Pick<RedirectedMessage, "messageId" | "key" | "queueName">>(namesSql, [tenantId, ...columns]);
  const names = new Map(rows.map((row) => [row.messageId, row]));
  return judged.map((item) => ({ key: null, queueName: "", ...names.get(item.messageId), ...item }));
}

export async function countRedirect(
  client: pg.ClientBase,
  tenantId: number,
  directory: TenantDirectory,
  jobId: number,
): Promise<RedirectCounts> {
  const { queueId, total } = await targetOf(client, tenantId, jobId);
  const counts: RedirectCounts["counts"] = {};
  let after = "0";
  for (let looked = 0; looked < Math.min(total, dryRunMax); looked += sliceSize) {
    const messages = await readPlaces(client, tenantId, jobId, after, sliceSize);
    for (const { verdict } of await judge(client, tenantId, { queueId, messages, directory })) counts[verdict] = (counts[verdict] ?? 0) + 1;
    after = messages.at(-1)?.messageId ?? after;
    await breathe();
  }
  return { counts, isExact: total <= dryRunMax };
}

/** Lets other requests have their turn: judging keeps the process busy. */
const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
