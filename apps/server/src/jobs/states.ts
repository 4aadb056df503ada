import { jobStatesMax, MessageState, type Job, type JobStates } from "@crossdock/contract";
import { statesOf, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";

/** Where a message of a job is by now: an item and its message or, where one took its place, the copy. */
type Changed = MessagePlace & { itemId: string };

/** Items that are read at most to find those that the job changed: of a million all may have been skipped. */
const itemsReadMax = 100_000;

// What a redirect was taken back by went to queues that nothing here names: such a job has no target.
const changedSql = `
  select item.message_id as "itemId", coalesce(item.successor_id, item.message_id) as "messageId",
    case when item.successor_id is null then item.queue_id else coalesce(job.target_queue_id, item.queue_id) end as "queueId"
  from hub.job
  cross join lateral (
    select * from hub.job_item item where item.tenant_id = job.tenant_id and item.job_id = job.id order by item.message_id limit ${itemsReadMax}
  ) item
  where job.tenant_id = $1 and job.id = $2 and job.subject = 'messages' and not (job.kind = 'redirect' and job.target_queue_id is null)
    and item.outcome in ('done', 'sent')
  order by item.message_id limit ${jobStatesMax}`;

/** The present state of what a job changed, by its items, oldest first; null where a message's retention has ended. */
async function readStates(
  client: pg.ClientBase,
  tenantId: number,
  jobId: number,
): Promise<{ itemId: string; state: MessageState | null }[]> {
  const { rows: messages } = await client.query<Changed>(changedSql, [tenantId, jobId]);
  const stateOf = messages.length === 0 ? new Map<string, MessageState>() : await statesOf(client, { tenantId, messages });
  return messages.map(({ itemId, messageId }) => ({ itemId, state: stateOf.get(messageId) ?? null }));
}

export async function countStates(client: pg.ClientBase, tenantId: number, { id, done, inFlight }: Job): Promise<JobStates> {
  const found = await readStates(client, tenantId, id);
  const counts = MessageState.options.flatMap((state) => {
    const count = found.filter((item) => item.state === state).length;
    return count === 0 ? [] : [{ state, count }];
  });
  return { counts, counted: found.length, isExact: found.length >= done + inFlight };
}

/** The items whose messages are in this state by now, of those that are counted. */
export async function itemsInState(client: pg.ClientBase, tenantId: number, jobId: number, state: MessageState): Promise<string[]> {
  return (await readStates(client, tenantId, jobId)).flatMap((item) => (item.state === state ? [item.itemId] : []));
}
