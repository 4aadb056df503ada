import { redirectMessages, statesOf, type MessagePlace, type ReplacedMessage } from "@crossdock/queue";
import type pg from "pg";
import type { Directory, TenantDirectory } from "../intake/directory.ts";
import { keepRepairs } from "../messages/repairs.ts";
import { tellPullers } from "../pullers.ts";
import { cutToPace } from "./pace.ts";
import { findUnfit, type Unfit } from "./redirect-verdicts.ts";
import { unfitDetail, type ItemResult } from "./rows.ts";

type RedirectJob = { id: number; cursor: string; targetQueueId: number | null; actorName: string; reason: string | null };

/** What a batch has come to; `cursor`: up to where all items have their outcome, null where nothing could be sent now. */
type RedirectBatch = { results: ItemResult[]; cursor: string | null; isPaced: boolean };

type Item = MessagePlace & { targetQueueId: number };

// Without a target of the job, each copy goes back to where its message was; 0, which is no queue, where that is not known any more.
const itemColumns = `
  item.queue_id as "queueId", item.message_id as "messageId", coalesce($3::integer,
    (select queue_id from queue.history home where home.tenant_id = $1 and home.successor_id = item.message_id), 0) as "targetQueueId"`;

// Items whose lane went before have their outcome already.
const nextSql = `
  select ${itemColumns} from hub.job_item item
  where item.tenant_id = $1 and item.job_id = $2 and item.message_id > $4 and item.outcome is null order by item.message_id limit $5`;

/** The most messages of one lane that go together: more in one transaction would hold up the shards for long. */
const laneMax = 10_000;

// What waits behind a message that leaves would be delivered where it is, before the job comes to it: a lane that keeps its order goes as
// a whole, so far as the job has it. Its items are looked up one by one: of a job that was made since the last analysis none seem to be there, and all of
// them would be compared with all messages of the lanes.
export const followersSql = `
  select ${itemColumns}
  from (
    select distinct message.queue_id, message.key
    from unnest($5::integer[], $6::bigint[]) as place (queue_id, id)
    join queue.queue on queue.tenant_id = $1 and queue.id = place.queue_id and queue.mode = 'fifo'
    cross join lateral (
      select queue_id, key from queue.message own where own.tenant_id = $1 and own.queue_id = place.queue_id and own.id = place.id offset 0
    ) message
  ) lane
  cross join lateral (
    select id from queue.message own
    where own.tenant_id = $1 and own.key = lane.key and own.id > $4 and own.queue_id = lane.queue_id offset 0
  ) message
  cross join lateral (
    select own.queue_id, own.message_id from hub.job_item own
    where own.tenant_id = $1 and own.job_id = $2 and own.message_id = message.id and own.outcome is null offset 0
  ) item
  order by item.message_id limit ${laneMax}`;

/** Redirects the job's next messages, with what follows them in their lanes; in the batch's transaction. */
export async function runRedirect(
  client: pg.ClientBase,
  tenantId: number,
  job: RedirectJob,
  size: number,
  directory: Directory,
): Promise<RedirectBatch> {
  const { rows: items } = await client.query<Item>(nextSql, [tenantId, job.id, job.targetQueueId, job.cursor, size]);
  const targets = items.map(({ messageId, targetQueueId }) => ({ messageId, queueId: targetQueueId }));
  const { portion, isPaced } = await cutToPace(client, tenantId, targets);
  const first = items.slice(0, portion.length);
  const cursor = first.at(-1)?.messageId ?? null;
  if (cursor === null) return { results: [], cursor, isPaced };
  const present = await directory.of(tenantId);
  const columns = [first.map(({ queueId }) => queueId), first.map(({ messageId }) => messageId)];
  const { rows: followers } = await client.query<Item>(followersSql, [tenantId, job.id, job.targetQueueId, cursor, ...columns]);
  const results: ItemResult[] = [];
  for (const [queueId, places] of Map.groupBy([...first, ...followers], (item) => item.targetQueueId))
    results.push(...(await redirect(client, tenantId, job, { queueId, places, directory: present })));
  return { results, cursor, isPaced };
}

type Going = { queueId: number; places: readonly MessagePlace[]; directory: TenantDirectory };

async function redirect(
  client: pg.ClientBase,
  tenantId: number,
  { actorName: by, reason }: RedirectJob,
  { queueId, places, directory }: Going,
): Promise<ItemResult[]> {
  const unfit = await findUnfit(client, tenantId, { queueId, messages: places, directory });
  const messages = places.filter(({ messageId }) => !unfit.has(messageId));
  const { redirected, overtaken } = await redirectMessages(client, { tenantId, queueId, messages });
  const repairs = redirected.map((pair) => ({ ...pair, by, reason: reason ?? "", isEdited: false }));
  await keepRepairs(client, tenantId, repairs);
  if (redirected.length > 0) await tellPullers(client, tenantId, queueId);
  const known = new Set(redirected.map(({ messageId }) => messageId));
  const left = places.filter(({ messageId }) => !known.has(messageId));
  const stateOf = left.length === 0 ? new Map<string, string>() : await statesOf(client, { tenantId, messages: left });
  return places.map(toResult({ redirected, overtaken, unfit, stateOf }));
}

type Outcomes = { redirected: ReplacedMessage[]; overtaken: string[]; unfit: Map<string, Unfit>; stateOf: Map<string, string> };

const waiting = new Set(["ready", "retrying", "parked", "dead"]);

function toResult({ redirected, overtaken, unfit, stateOf }: Outcomes): (place: MessagePlace) => ItemResult {
  const successors = new Map(redirected.map(({ messageId, successorId }) => [messageId, successorId]));
  const old = new Set(overtaken);
  return ({ messageId }) => {
    const successorId = successors.get(messageId);
    if (successorId !== undefined) return { messageId, outcome: "done", detail: null, successorId };
    const state = stateOf.get(messageId);
    // What left its lane meanwhile went by what it is now, whether or not newer data has come since.
    if (old.has(messageId))
      return { messageId, outcome: "skipped", detail: state !== undefined && !waiting.has(state) ? state : "superseded" };
    const why = unfit.get(messageId);
    // What is already settled needs no target.
    return why !== undefined && state !== undefined && waiting.has(state)
      ? { messageId, outcome: "failed", detail: unfitDetail(why.fault, why.missing) }
      : { messageId, outcome: "skipped", detail: state ?? null };
  };
}
