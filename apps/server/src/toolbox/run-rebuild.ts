import { connectors } from "@crossdock/connectors";
import { EntityType } from "@crossdock/contract";
import { listAttempts, newestDelivered, parseHeaders, type DeliveredMessage } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import { besideOthers, inTenant } from "../db.ts";
import { mapDocument } from "../delivery/deliver.ts";
import { keptId } from "../delivery/exchange.ts";
import { deliveryHash, findExternalItems, systemsOf } from "../delivery/external-items.ts";
import { recordAttempt, secretsOf } from "../delivery/recording.ts";
import type { Deps } from "../deps.ts";
import { tellExternalNews } from "../external-messages/news.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import { keyRange } from "../key-range.ts";
import { LeaseLost, advanceRun, failed, writeLines, type ClaimedRun, type Ending, type Wish } from "../runs/runs.ts";

type RebuildDeps = { pools: Deps["pools"]; directory: Directory };

/** Objects of one transaction. */
const batchSize = 200;

const Noted = z.object({ cursor: z.string().nullable(), isDryRun: z.boolean(), keyPrefix: z.string().nullable() });
const notedSql = `
  select cursor, is_dry_run as "isDryRun", parameters ->> 'keyPrefix' as "keyPrefix" from hub.toolbox_run where tenant_id = $1 and run_id = $2`;

const keysSql = `
  select distinct business_key as key from hub.entity
  where tenant_id = $1 and subtenant_id = $2 and entity_type = $3 and ($4 or not is_development)
    and ($5::text is null or business_key > $5) and ($6::text is null or business_key >= $6 and business_key < $7)
  order by 1 limit ${batchSize}`;

// What was found may be of a system that the address leads to no more.
const systemSql = "select from hub.integration_point where tenant_id = $1 and id = $2 and system = $3";

const moveSql = "update hub.toolbox_run set cursor = $3 where tenant_id = $1 and run_id = $2";

type Job = { run: ClaimedRun; tenant: TenantDirectory; point: Point; queueId: number; entityType: EntityType; isDryRun: boolean };

/**
 * Puts back what is missing of a target's external items, from Crossdock's own records: what was removed last, or else what the newest
 * delivery was answered. What is there stays as it is. A batch's items, the counters and the place reached are one transaction.
 */
export async function runRebuild({ pools, directory }: RebuildDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const { tenantId } = run;
  const entityType = EntityType.safeParse(run.entityType);
  const [row] = (await inTenant(pools.worker, tenantId, (client) => client.query(notedSql, [tenantId, run.id]))).rows;
  if (!entityType.success || !row) return failed(because("run-subject-gone").detail);
  const noted = Noted.parse(row);
  let cursor = noted.cursor;
  for (;;) {
    if (signal.aborted) throw new LeaseLost();
    // As it is now: its address may lead to another system since the batch before.
    const tenant = await directory.of(tenantId);
    const point = tenant.points.get(run.pointId ?? 0);
    const queueId = point && tenant.queueOf(point.id, entityType.data);
    if (!point || queueId === undefined) return failed(because("run-subject-gone").detail);
    const job: Job = { run, tenant, point, queueId, entityType: entityType.data, isDryRun: noted.isDryRun };
    const step = await inTenant(pools.app, tenantId, (client) => rebuildBatch(client, job, cursor, noted.keyPrefix));
    if (step.isCancelling) return { state: "cancelled", fault: null };
    if (step.cursor === null) return { state: "done", fault: null };
    if (step.isPausing) return { state: "paused", fault: null };
    cursor = step.cursor;
  }
}

async function rebuildBatch(
  client: pg.ClientBase,
  job: Job,
  cursor: string | null,
  prefix: string | null,
): Promise<Wish & { cursor: string | null }> {
  const { run, point, entityType, isDryRun } = job;
  const { tenantId } = run;
  const values = [tenantId, point.subtenantId, entityType, point.isDevelopment, cursor, ...keyRange(prefix)];
  const keys = (await client.query<{ key: string }>(keysSql, values)).rows.map(({ key }) => key);
  const known = await findExternalItems(
    client,
    tenantId,
    keys.map((key) => ({ integrationPointId: point.id, entityType, key })),
  );
  const missing = keys.filter((_key, index) => known[index] === null);
  const removed = await findRemoved(client, job, missing);
  const found = new Map([
    ...(await findAnswered(
      client,
      job,
      missing.filter((key) => !removed.has(key)),
    )),
    ...removed,
  ]);
  if (!isDryRun && found.size > 0) {
    await besideOthers(client, systemsOf(tenantId));
    if ((await client.query(systemSql, [tenantId, point.id, point.system])).rowCount === 0) found.clear();
    await putItems(client, job, [...found.values()]);
    await tellExternalNews(client, tenantId);
  }
  const counts = {
    done: keys.length,
    accepted: found.size,
    unchanged: keys.length - missing.length,
    rejected: missing.length - found.size,
  };
  const wish = await advanceRun(client, run, counts);
  const lines = [...found].map(([key, { externalId, origin }]) => `${key}: ${externalId ?? "–"} (${origin})`);
  if (lines.length > 0) await writeLines(client, run, "info", ...lines);
  const last = keys.length === batchSize ? (keys.at(-1) ?? null) : null;
  if (last !== null) await client.query(moveSql, [tenantId, run.id, last]);
  return { ...wish, cursor: last };
}

type Told = { hash: Buffer; messageId: string };
type Item = { key: string; externalId: string | null; told: Told | null; origin: "removed" | "answer" };

const removedSql = `
  select distinct on (business_key) business_key as key, external_id as "externalId", delivered_hash as hash, message_id::text as "messageId"
  from hub.external_item_removed
  where tenant_id = $1 and integration_point_id = $2 and entity_type = $3 and business_key = any($4::text[])
    and not is_of_former_system
  order by business_key, id desc`;

type RemovedRow = { key: string; externalId: string | null; hash: Buffer | null; messageId: string | null };

/** Of each key what was removed last. */
async function findRemoved(client: pg.ClientBase, { run, point, entityType }: Job, keys: string[]): Promise<Map<string, Item>> {
  if (keys.length === 0) return new Map();
  const { rows } = await client.query<RemovedRow>(removedSql, [run.tenantId, point.id, entityType, keys]);
  return new Map(
    rows.map(({ key, externalId, hash, messageId }) => {
      const told = hash && messageId !== null ? { hash, messageId } : null;
      return [key, { key, externalId, told, origin: "removed" }];
    }),
  );
}

/** What the newest deliveries' answers named the objects, as far as they are kept and can still be read. */
async function findAnswered(client: pg.ClientBase, job: Job, keys: string[]): Promise<Map<string, Item>> {
  const found = new Map<string, Item>();
  if (keys.length === 0) return found;
  for (const message of await newestDelivered(client, { tenantId: job.run.tenantId, queueId: job.queueId, keys })) {
    const item = await readDelivery(client, job, message);
    if (item) found.set(message.key, item);
  }
  return found;
}

/**
 * The last try of a delivered message, read anew: the hash holds where mappings and configuration are those of then, and the answer is
 * read where the connector would ask the very same question today.
 */
async function readDelivery(client: pg.ClientBase, job: Job, message: DeliveredMessage): Promise<Item | null> {
  const { tenant, point, run } = job;
  const { key, messageId } = message;
  const attempt = (await listAttempts(client, { tenantId: run.tenantId, messageId })).at(-1);
  const mapped = mapDocument(tenant, point, { document: message.document, headers: parseHeaders(message.headers) });
  if (!attempt || "error" in mapped) return null;
  const { versions, request: kept, response } = attempt;
  const isOfNow = versions?.mapping === tenant.mappingVersion && versions.configuration === point.version;
  const told = isOfNow ? { hash: deliveryHash(point, mapped.document), messageId } : null;
  const externalId = kept && response ? await readAnswer(job, { key, messageId, document: mapped.document }, kept, response) : null;
  return told === null && externalId === null ? null : { key, externalId, told, origin: "answer" };
}

type Attempt = Awaited<ReturnType<typeof listAttempts>>[number];

async function readAnswer(
  { point, entityType }: Job,
  { key, messageId, document }: { key: string; messageId: string; document: string },
  kept: NonNullable<Attempt["request"]>,
  response: NonNullable<Attempt["response"]>,
): Promise<string | null> {
  if (point.credentials === null || point.deliveryMode !== "push") return null;
  const { settings, credentials, connector } = point;
  const input = { entityType, document, key, externalId: null, settings, credentials, messageId, now: new Date() };
  const request = await connectors[connector].request(input);
  if ("kind" in request) return null;
  const asked = recordAttempt(0, request, null, null, secretsOf(credentials)).request;
  if (asked?.method !== kept.method || asked.url !== kept.url || asked.body !== kept.body) return null;
  const verdict = connectors[connector].verdict({ entityType, request, response: { ...response, body: response.body ?? "" } });
  return verdict.kind === "delivered" ? keptId(verdict.externalId) : null;
}

// Sorted as deliveries write them. What a delivery has made meanwhile is newer and stays.
const putSql = `
  insert into hub.external_item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id,
    delivered_at)
  select $1, $2, $3, input.key, $4, input.external_id, input.hash, input.message_id, case when input.message_id is not null then now() end
  from unnest($5::text[], $6::text[], $7::bytea[], $8::bigint[]) as input (key, external_id, hash, message_id) order by input.key
  on conflict do nothing`;

async function putItems(client: pg.ClientBase, { run, point, entityType }: Job, items: Item[]): Promise<void> {
  await client.query(putSql, [
    run.tenantId,
    point.id,
    entityType,
    point.subtenantId,
    items.map(({ key }) => key),
    items.map(({ externalId }) => externalId),
    items.map(({ told }) => told?.hash ?? null),
    items.map(({ told }) => told?.messageId ?? null),
  ]);
}
