import type { ExpiredCount, UsageCategory } from "@crossdock/contract";
import type pg from "pg";
import { capped, countMax } from "../api/capped-count.ts";
import type { Retention } from "../retention.ts";

/** What was before goes: of what has a day in its id the midnight by which days are cut off, of all else the time of day, too. `$2` is a number of days. */
const midnight = "(((now() at time zone 'utc')::date - $2::integer)::timestamp at time zone 'utc')";
const firstId = "((now() at time zone 'utc')::date - date '1970-01-01' - $2::integer)::bigint * 10000000000";
const timeOfDay = "(now() - make_interval(days => $2::integer))";

type Source = { retention: keyof Retention; before: string; rows: string };

/** What pruning deletes, by category. */
const sources: Record<UsageCategory, Source> = {
  messages: {
    retention: "historyDays",
    before: midnight,
    rows: `select from queue.history where tenant_id = $1 and id < ${firstId} and finished_at < ${midnight}`,
  },
  attempts: {
    retention: "attemptDays",
    before: midnight,
    rows: `
      select from queue.attempt a where a.tenant_id = $1 and a.id < ${firstId} and exists (
        select from queue.history h where h.tenant_id = $1 and h.queue_id = a.queue_id and h.id = a.id and h.finished_at < ${midnight}
      )`,
  },
  rawMessages: {
    retention: "rawMessageDays",
    before: midnight,
    rows: `select from hub.external_message where tenant_id = $1 and id < ${firstId}`,
  },
  removed: {
    retention: "removedDays",
    before: timeOfDay,
    rows: `
      select from queue.removed where tenant_id = $1 and removed_at < ${timeOfDay}
      union all select from hub.external_item_removed where tenant_id = $1 and removed_at < ${timeOfDay}
      union all select from hub.external_message where tenant_id = $1 and removed_at < ${timeOfDay}`,
  },
  runs: {
    retention: "runDays",
    before: timeOfDay,
    rows: `select from hub.run where tenant_id = $1 and finished_at < ${timeOfDay}`,
  },
  // A version goes once its successor is old.
  versions: {
    retention: "historyDays",
    before: midnight,
    rows: `
      select from hub.entity_version successor join hub.entity_version version
        on version.tenant_id = $1 and version.subtenant_id = successor.subtenant_id and version.entity_type = successor.entity_type
        and version.business_key = successor.business_key and version.is_development = successor.is_development
        and version.version = successor.version - 1
      where successor.tenant_id = $1 and successor.external_message_id < ${firstId}`,
  },
};

type Found = { before: string; count: number };

/** What the tenant would lose if its things stayed for `wanted` instead of for `present`. */
export async function countExpired(
  client: pg.ClientBase,
  tenantId: number,
  { present, wanted }: Record<"present" | "wanted", Retention>,
): Promise<ExpiredCount[]> {
  const expired: ExpiredCount[] = [];
  for (const [category, { retention, before, rows: old }] of Object.entries(sources) as [UsageCategory, Source][]) {
    if (wanted[retention] >= present[retention]) continue;
    const sql = `
      select queue.iso(${before}) as before, count(*)::integer as count from (select from (${old}) each limit ${countMax + 1}) counted`;
    const { rows } = await client.query<Found>(sql, [tenantId, wanted[retention]]);
    for (const { before: at, count } of rows) if (count > 0) expired.push({ category, before: at, ...capped(count) });
  }
  return expired;
}
