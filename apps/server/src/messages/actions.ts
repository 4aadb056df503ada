import type { MessageAction, SkippedMessage } from "@crossdock/contract";
import { getMessages, locateMessages, supersededOf } from "@crossdock/queue";
import type pg from "pg";
import type { Principal } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import type { Trail } from "../api/change.ts";
import { leftOf } from "../api/skipped.ts";

type Verb = MessageAction["verb"];

const noteSql = `
  insert into hub.message_action (tenant_id, message_id, verb, actor_name, job_id) select $1, unnest($2::bigint[]), $3, $4, $5`;

/** Notes who did what to messages, in the transaction that did it; `jobId`: by which job. */
export async function noteActions(
  client: pg.ClientBase,
  tenantId: number,
  { ids, verb, by, jobId }: { ids: readonly string[]; verb: Verb; by: string; jobId?: number },
): Promise<void> {
  if (ids.length > 0) await client.query(noteSql, [tenantId, ids, verb, by, jobId ?? null]);
}

const ofJobSql = `
  select wanted.id
  from unnest($2::bigint[]) as wanted (id)
  cross join lateral (
    select job_id from hub.message_action where tenant_id = $1 and message_id = wanted.id order by id desc limit 1
  ) last
  where last.job_id = $3 order by wanted.id`;

/** The ids of those messages on which nobody has acted since the job did. */
export async function lastActedOnBy(client: pg.ClientBase, tenantId: number, ids: readonly string[], jobId: number): Promise<string[]> {
  return (await client.query<{ id: string }>(ofJobSql, [tenantId, ids, jobId])).rows.map(({ id }) => id);
}

type Operation = {
  tenantId: number;
  principal: Principal;
  verb: Verb;
  /** What was asked for; without it nothing can have been skipped. */
  wanted?: readonly string[];
  /** Is told when nothing was changed. Without it there is something to tell in any case. */
  trail?: Trail;
};

/**
 * Runs an operation on messages, notes who did it to those that it changed, and tells of the others what became of them, and of those that
 * newer data has overtaken. In the operation's own transaction: whoever waited for the same rows finds the note.
 */
export async function operate(
  client: pg.ClientBase,
  { tenantId, principal, verb, wanted = [], trail }: Operation,
  run: (by: string) => Promise<string[]>,
): Promise<{ ids: string[]; skipped: SkippedMessage[] }> {
  const by = await actorName(client, tenantId, principal);
  const changed = await run(by);
  if (trail) trail.isChange = changed.length > 0;
  await noteActions(client, tenantId, { ids: changed, verb, by });
  const messages = changed.length === 0 ? [] : await locateMessages(client, { tenantId, messageIds: changed });
  const superseded = new Set(messages.length === 0 ? [] : await supersededOf(client, { tenantId, messages }));
  const ids = changed.filter((id) => !superseded.has(id));
  const left = leftOf(wanted, ids);
  return { ids, skipped: left.length === 0 ? [] : await explain(client, tenantId, left) };
}

/** A program may requeue a message again and again. */
const actionsMax = 100;
const actionsSql = `
  select action.message_id as id, verb, actor_name as by, queue.iso(acted_at) as at
  from unnest($2::bigint[]) as wanted (id)
  cross join lateral (
    select * from hub.message_action where tenant_id = $1 and message_id = wanted.id order by message_action.id desc limit ${actionsMax}
  ) action
  order by action.id`;

/** What was done to each of the messages last, in that order. */
export async function readActions(client: pg.ClientBase, tenantId: number, ids: readonly string[]): Promise<Map<string, MessageAction[]>> {
  const { rows } = await client.query<MessageAction & { id: string }>(actionsSql, [tenantId, ids]);
  const ofMessages = Map.groupBy(rows, ({ id }) => id);
  return new Map([...ofMessages].map(([messageId, actions]) => [messageId, actions.map(({ verb, by, at }) => ({ verb, by, at }))]));
}

async function explain(client: pg.ClientBase, tenantId: number, ids: string[]): Promise<SkippedMessage[]> {
  const messages = new Map((await getMessages(client, { tenantId, messageIds: ids })).map((message) => [message.messageId, message]));
  const actions = await readActions(client, tenantId, ids);
  return ids.map((id) => {
    const message = messages.get(id);
    return {
      id,
      key: message?.key ?? null,
      state: message?.state ?? null,
      // Another tenant's are not seen here, so what has no message has no action either, unless its retention has ended.
      lastAction: message ? (actions.get(id)?.at(-1) ?? null) : null,
    };
  });
}
