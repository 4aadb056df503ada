import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes, type DeadLetterGroup } from "@crossdock/contract";
import { deadGroups, listDead, remove, requeueDead, requeueDeadGroup, type DeadGroup } from "@crossdock/queue";
import { z } from "zod";
import { readCursor } from "../cursors.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { toDeadLetter, toPage } from "../message-rows.ts";
import { selectQueues } from "../queue-selection.ts";
import { addRoute } from "../route.ts";

const Cursor = z.string().regex(/^\d{1,18}$/);

/** Messages that one call changes at most, so that its transaction stays short; the caller asks again while there are more. */
const batchSize = 1000;

// Locked, so that what is removed as a dead letter is one: somebody may be requeueing it at this moment.
const deadSql = `select id from queue.dead where tenant_id = $1 and id = any($2::bigint[]) order by id for update`;
const deadOfGroupSql = `select id from queue.dead where tenant_id = $1 and fingerprint = $2 order by id limit ${batchSize} for update`;

export function registerDeadLetters(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listDeadLetters, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const queueIds = await selectQueues(client, tenantId, query);
      const filter = { ...(queueIds && { queueIds }), ...(query.fingerprint && { fingerprint: query.fingerprint }) };
      const page = await listDead(client, { tenantId, filter, cursor: readCursor(Cursor, query.cursor), limit: query.limit });
      return toPage(client, tenantId, page, toDeadLetter);
    }),
  );

  addRoute(app, routes.listDeadLetterGroups, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const queueIds = await selectQueues(client, tenantId, query);
      return { items: mergeGroups(await deadGroups(client, { tenantId, ...(queueIds && { queueIds }) })) };
    }),
  );

  addRoute(app, routes.requeueDeadLetters, ({ tenant: { tenantId }, body }) =>
    inTenant(pools.app, tenantId, async (client) => {
      if ("ids" in body) return { ids: await requeueDead(client, { tenantId, messageIds: body.ids }), hasMore: false };
      const ids = await requeueDeadGroup(client, { tenantId, fingerprint: body.fingerprint, limit: batchSize });
      return { ids, hasMore: ids.length === batchSize };
    }),
  );

  addRoute(app, routes.removeDeadLetters, ({ tenant: { tenantId }, body }) =>
    inTenant(pools.app, tenantId, async (client) => {
      const isGroup = "fingerprint" in body;
      const messageIds = await readIds(client, isGroup ? deadOfGroupSql : deadSql, [tenantId, isGroup ? body.fingerprint : body.ids]);
      return { ids: await remove(client, { tenantId, messageIds }), hasMore: isGroup && messageIds.length === batchSize };
    }),
  );
}

async function readIds(client: pg.ClientBase, sql: string, values: unknown[]): Promise<string[]> {
  return (await client.query<{ id: string }>(sql, values)).rows.map((row) => row.id);
}

/** The engine groups by queue and error; an operator thinks of the error, whichever queues it hit. */
function mergeGroups(groups: DeadGroup[]): DeadLetterGroup[] {
  const merged = new Map<string, DeadLetterGroup>();
  for (const { fingerprint, errorClass, errorMessage, queueId, count, firstAt, lastAt } of groups) {
    const name = fingerprint ?? "";
    const known = merged.get(name);
    const [first, last] = [firstAt.toISOString(), lastAt.toISOString()];
    if (!known) {
      merged.set(name, { fingerprint: name, errorClass, error: errorMessage, queueIds: [queueId], count, firstAt: first, lastAt: last });
      continue;
    }
    known.queueIds.push(queueId);
    known.count += count;
    if (first < known.firstAt) known.firstAt = first;
    if (last > known.lastAt) known.lastAt = last;
  }
  return [...merged.values()].toSorted((left, right) => right.count - left.count);
}
