import { missingMappingClass } from "@crossdock/connectors";
import type { RedirectFault } from "@crossdock/contract";
import { parseHeaders, readDocuments, type MessagePlace } from "@crossdock/queue";
import type pg from "pg";
import { mapDocument } from "../delivery/deliver.ts";
import type { Point, TenantDirectory } from "../intake/directory.ts";

/** Why a message can't go to a target; `missing` are the values that lack a mapping. */
export type Unfit = { fault: RedirectFault; missing: string | null };

type Target = { pointId: number; subtenantId: number; environment: string; entityType: string; isOpen: boolean };

const targetSql = `
  select point.id as "pointId", point.subtenant_id as "subtenantId", point.environment, split_part(queue.name, '.', -1) as "entityType",
    point.is_active and split_part(queue.name, '.', -1) = any (point.target_types) as "isOpen"
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  where queue.tenant_id = $1 and queue.id = $2`;

async function readTarget(client: pg.ClientBase, tenantId: number, queueId: number): Promise<Target | null> {
  return (await client.query<Target>(targetSql, [tenantId, queueId])).rows[0] ?? null;
}

/** Whether the queue is one of an active target of the tenant. */
export async function isOpenQueue(client: pg.ClientBase, tenantId: number, queueId: number): Promise<boolean> {
  return (await readTarget(client, tenantId, queueId))?.isOpen ?? false;
}

type Facts = MessagePlace & {
  entityType: string;
  subtenantId: number;
  environment: string;
  originPointId: number | null;
  headers: string | null;
};

const factsSql = `
  select place.queue_id as "queueId", message.id as "messageId", message.entity_type as "entityType", message.subtenant_id as "subtenantId",
    present.environment, origin.integration_point_id as "originPointId", message.headers
  from unnest($2::integer[], $3::bigint[]) as place (queue_id, id)
  cross join lateral (
    select id, entity_type, subtenant_id, origin_id, headers from queue.message own
    where own.tenant_id = $1 and own.queue_id = place.queue_id and own.id = place.id offset 0
  ) message
  join queue.queue on queue.tenant_id = $1 and queue.id = place.queue_id
  join hub.integration_point present on present.tenant_id = $1 and present.id = queue.target_id
  left join lateral (
    select integration_point_id from hub.external_message own where own.tenant_id = $1 and own.id = message.origin_id offset 0
  ) origin on true`;

/** Which of the messages may not go to the queue, and why; of the others nothing is answered. */
export async function findUnfit(
  client: pg.ClientBase,
  tenantId: number,
  { queueId, messages, directory }: { queueId: number; messages: readonly MessagePlace[]; directory: TenantDirectory },
): Promise<Map<string, Unfit>> {
  const target = await readTarget(client, tenantId, queueId);
  if (!target?.isOpen) return new Map(messages.map(({ messageId }) => [messageId, { fault: "target-closed", missing: null }]));
  const columns = [messages.map((place) => place.queueId), messages.map(({ messageId }) => messageId)];
  const { rows } = await client.query<Facts>(factsSql, [tenantId, ...columns]);
  const unfit = new Map<string, Unfit>();
  for (const facts of rows) {
    const fault = faultOf(facts, queueId, target);
    if (fault !== null) unfit.set(facts.messageId, { fault, missing: null });
  }
  const point = directory.points.get(target.pointId);
  const others = rows.filter(({ messageId }) => !unfit.has(messageId));
  for (const [messageId, missing] of await findMissing(client, tenantId, { directory, point, messages: others })) {
    unfit.set(messageId, { fault: "mapping", missing });
  }
  return unfit;
}

/** Production and development stay apart, and nothing goes back to where it came from. */
function faultOf(facts: Facts, queueId: number, target: Target): RedirectFault | null {
  if (facts.queueId === queueId) return "same-queue";
  if (facts.entityType !== target.entityType) return "entity-type";
  if (facts.subtenantId !== target.subtenantId) return "subtenant";
  if (facts.environment !== target.environment) return "environment";
  return facts.originPointId === target.pointId ? "origin" : null;
}

/** Those of a whole batch may take more memory than the process has, and more time than others can wait for their turn. */
const documentsAtOnce = 25;

type Mapped = { directory: TenantDirectory; point: Point | undefined; messages: readonly Facts[] };

/** The values that the target would lack a mapping of, whether it is delivered to or fetches its messages. */
async function findMissing(client: pg.ClientBase, tenantId: number, { directory, point, messages }: Mapped): Promise<[string, string][]> {
  if (point === undefined) return [];
  const mapped = messages.filter(({ headers }) => !directory.mappingsOf(parseHeaders(headers)["source"] ?? "*", point).isEmpty);
  const missing: [string, string][] = [];
  for (let from = 0; from < mapped.length; from += documentsAtOnce) {
    const some = mapped.slice(from, from + documentsAtOnce);
    const documents = await readDocuments(client, { tenantId, messages: some });
    for (const { messageId, headers } of some) {
      const document = documents.get(messageId);
      if (document === undefined) continue;
      const answer = mapDocument(directory, point, { document, headers: parseHeaders(headers) });
      if ("error" in answer && answer.error.class === missingMappingClass)
        missing.push([messageId, answer.error.message.replace(/^mapping missing: /, "")]);
    }
  }
  return missing;
}
