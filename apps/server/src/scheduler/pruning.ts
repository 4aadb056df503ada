import { pruneAttempts, pruneFinished, pruneRemoved } from "@crossdock/queue";
import type pg from "pg";
import { inTenant } from "../db.ts";
import { installation } from "../api/change.ts";
import { allTenants, eachTenant } from "../each-tenant.ts";
import { type Round, batchSize, inBatches } from "../in-batches.ts";
import { readRetention, type Retention } from "../retention.ts";

/** What came before the last `days` days has smaller ids: ids are days × 10^10 + n, by the database's clock. */
const cutoffSql = `select (((now() at time zone 'utc')::date - date '1970-01-01' - $1::integer)::bigint * 10000000000)::text as cutoff`;

const oldKeysSql = `
  delete from hub.intake_key
  where tenant_id = $1 and hash in (select hash from hub.intake_key where tenant_id = $1 and external_message_id < $2 limit ${batchSize})`;

// A version goes once its successor is old: what is pruned has not been current for the whole time of retention. Only successors that
// grew old since the last round are looked at, so the newest versions of objects that never change are not read again and again. Of each
// object the newest: a version found once for every later one would end the round by a batch that only seems to be short.
const oldVersionsSql = `
  with successor as (
    select subtenant_id, entity_type, business_key, is_development, max(version) as version from hub.entity_version
    where tenant_id = $1 and external_message_id >= $3 and external_message_id < $2 and version > 1 group by 1, 2, 3, 4
  ), old as (
    select version.ctid from successor join hub.entity_version version
      on version.tenant_id = $1 and version.subtenant_id = successor.subtenant_id and version.entity_type = successor.entity_type
      and version.business_key = successor.business_key and version.is_development = successor.is_development
      and version.version < successor.version
    limit ${batchSize}
  )
  delete from hub.entity_version where tenant_id = $1 and ctid in (select ctid from old)`;

// By the source's own time: whatever this would show to be late is older still.
const oldWholesSql = `
  delete from hub.whole
  where tenant_id = $1 and name in (
    select name from hub.whole
    where tenant_id = $1 and source_version < extract(epoch from now() - make_interval(days => $2)) * 1000000 limit ${batchSize}
  )`;

const oldAnswersSql = `
  delete from hub.idempotent_answer
  where tenant_id = $1 and hash in (
    select hash from hub.idempotent_answer where tenant_id = $1 and created_at <= now() - interval '24 hours' limit ${batchSize}
  )`;

// Of an old dead letter somebody may have taken care today.
const oldActionsSql = `
  delete from hub.message_action
  where tenant_id = $1 and (message_id, id) in (
    select message_id, id from hub.message_action where tenant_id = $1 and message_id < $2 and acted_at < now() - make_interval(days => $3) limit ${batchSize}
  )`;

// As long as the copy, which is the younger of the two.
const oldRepairsSql = `
  delete from hub.repair
  where tenant_id = $1 and message_id in (select message_id from hub.repair where tenant_id = $1 and successor_id < $2 limit ${batchSize})`;

const oldRemovedItemsSql = `
  delete from hub.external_item_removed
  where tenant_id = $1 and id in (
    select id from hub.external_item_removed where tenant_id = $1 and removed_at < now() - make_interval(days => $2) limit ${batchSize}
  )`;

// Until then it can be undone.
const oldImportsSql = `
  delete from hub.external_item_imported
  where tenant_id = $1 and ctid in (
    select ctid from hub.external_item_imported where tenant_id = $1 and imported_at < now() - make_interval(days => $2) limit ${batchSize}
  )`;

const oldDebugSql = `
  delete from hub.debug_exchange
  where tenant_id = $1 and id in (
    select id from hub.debug_exchange where tenant_id = $1 and made_at < now() - interval '24 hours' limit ${batchSize}
  )`;

/** Days that a sender may repeat a message under the same key. */
const intakeKeyDays = 7;

const oldRawSql = `
  delete from hub.external_message
  where tenant_id = $1 and id in (select id from hub.external_message where tenant_id = $1 and id < $2 order by id limit ${batchSize})`;

// Removed ones can be restored for as long as the tenant says.
const oldRemovedRawSql = `
  delete from hub.external_message
  where tenant_id = $1 and id in (
    select id from hub.external_message where tenant_id = $1 and removed_at < now() - make_interval(days => $2) limit ${batchSize}
  )`;

/**
 * A round deletes what is too old of every tenant: intake keys, versions of objects that were replaced before its retention, what tells late messages, and who
 * acted on messages that are gone or put copies in their places. Days that are over for the whole installation are dropped elsewhere; what a tenant keeps for a shorter
 * time goes here, row by row. The first round looks at everything, as nobody knows for how long there was no scheduler.
 */
export function createIntakePruning(pool: pg.Pool, retentionDays: number): (stop?: AbortSignal) => Promise<void> {
  const prunedTo = new Map<number, string>();
  return async (stop) => {
    const keysBefore = await cutoff(pool, Math.min(intakeKeyDays, retentionDays));
    const prune = async (tenantId: number): Promise<void> => {
      const round = { pool, tenantId, stop };
      const retention = await inTenant(pool, tenantId, (client) => readRetention(client, tenantId, retentionDays));
      const versionsBefore = await cutoff(pool, retention.historyDays);
      await inBatches(round, (client) => client.query(oldKeysSql, [tenantId, keysBefore]));
      // A raw message may be sent through anew for as long as it is kept.
      await inBatches(round, (client) => client.query(oldWholesSql, [tenantId, Math.max(intakeKeyDays, retention.rawMessageDays)]));
      await inBatches(round, (client) => client.query(oldVersionsSql, [tenantId, versionsBefore, prunedTo.get(tenantId) ?? "0"]));
      await inBatches(round, (client) => client.query(oldRemovedItemsSql, [tenantId, retention.removedDays]));
      await inBatches(round, (client) => client.query(oldImportsSql, [tenantId, retention.removedDays]));
      await inBatches(round, (client) => client.query(oldDebugSql, [tenantId]));
      await inBatches(round, (client) => client.query(oldActionsSql, [tenantId, versionsBefore, retention.historyDays]));
      await inBatches(round, (client) => client.query(oldRepairsSql, [tenantId, versionsBefore]));
      await pruneShorter(round, retention, retentionDays);
      if (!stop?.aborted) prunedTo.set(tenantId, versionsBefore);
    };
    await eachTenant(await allTenants(pool), prune, stop);
  };
}

async function pruneShorter(round: Round, retention: Retention, installationDays: number): Promise<void> {
  const { pool, tenantId } = round;
  const { historyDays, attemptDays, rawMessageDays, removedDays } = retention;
  const limit = batchSize;
  if (removedDays < installationDays) {
    await inBatches(round, (client) => client.query(oldRemovedRawSql, [tenantId, removedDays]));
    await inBatches(round, (client) => pruneRemoved(client, { tenantId, days: removedDays, limit }));
  }
  if (rawMessageDays < installationDays) {
    const before = await cutoff(pool, rawMessageDays);
    await inBatches(round, (client) => client.query(oldRawSql, [tenantId, before]));
  }
  if (historyDays < installationDays) {
    const beforeId = await cutoff(pool, historyDays);
    await inBatches(round, (client) => pruneFinished(client, { tenantId, beforeId, limit }));
  }
  if (attemptDays < historyDays) {
    const beforeId = await cutoff(pool, attemptDays);
    await inBatches(round, (client) => pruneAttempts(client, { tenantId, beforeId, limit }));
  }
}

async function cutoff(pool: pg.Pool, days: number): Promise<string> {
  const { rows } = await pool.query<{ cutoff: string }>(cutoffSql, [days]);
  return rows[0]?.cutoff ?? "0";
}

/** Deletes the answers to creating requests that nobody may ask for again: of every tenant, and of the installation. */
export async function pruneAnswers(pool: pg.Pool, stop?: AbortSignal): Promise<void> {
  const prune = (tenantId: number) => inBatches({ pool, tenantId, stop }, (client) => client.query(oldAnswersSql, [tenantId]));
  await eachTenant([installation, ...(await allTenants(pool))], prune, stop);
}

/** Removes audit events of all tenants and of the installation that are older than `keptDays`; the database keeps 30 days in any case. */
export async function pruneAuditEvents(pool: pg.Pool, keptDays: number, stop?: AbortSignal): Promise<void> {
  for (;;) {
    if (stop?.aborted) return;
    const sql = "select hub.prune_audit_events($1, $2) as removed";
    const { rows } = await pool.query<{ removed: number }>(sql, [keptDays, batchSize]);
    if ((rows[0]?.removed ?? 0) < batchSize) return;
  }
}
