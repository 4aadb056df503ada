import type pg from "pg";
import type { DeadLetterGroup, SettingsChange } from "@crossdock/contract";

type Failures = Pick<DeadLetterGroup, "fingerprint" | "firstAt" | "integrationPointIds" | "queueIds">;

// A version like the one before it has other credentials, which are not kept. To pause is no change that anything dies of. Neither is what came
// after the message had failed already, as one that was requeued and died again.
const changesSql = `
  select failed.fingerprint, changed.integration_point_id as "integrationPointId", changed.version, queue.iso(changed.made_at) as "madeAt",
    changed.made_by as "madeBy"
  from jsonb_to_recordset($2::jsonb) as failed (fingerprint text, "firstAt" timestamptz, "integrationPointIds" integer[], "queueIds" integer[])
  cross join lateral (
    (
      select point.integration_point_id, point.version, point.made_at, point.made_by
      from hub.integration_point_version point
      join hub.integration_point_version before on before.tenant_id = $1 and before.integration_point_id = point.integration_point_id
        and before.version = point.version - 1
      where point.tenant_id = $1 and point.integration_point_id = any (failed."integrationPointIds")
        and point.made_at > failed."firstAt" - interval '1 day' and point.made_at <= failed."firstAt"
        and (point.content = before.content or point.content - 'isPaused' <> before.content - 'isPaused')
      order by point.made_at desc limit 1
    )
    union all
    (
      select null, version, made_at, made_by from hub.mapping_version
      where tenant_id = $1 and made_at > failed."firstAt" - interval '1 day' and made_at <= failed."firstAt"
      order by made_at desc limit 1
    )
    order by made_at desc limit 1
  ) changed
  where not exists (
    select from queue.dead first
    join queue.attempt on attempt.tenant_id = $1 and attempt.queue_id = first.queue_id and attempt.id = first.id
    where first.tenant_id = $1 and first.queue_id = any (failed."queueIds") and first.dead_at = failed."firstAt"
      and case when first.fingerprint is null then '' else first.fingerprint end = failed.fingerprint
      and attempt.error_class is not null and attempt.started_at < changed.made_at
  )`;

/** The change of settings that each error followed, by fingerprint; none where there was none in the day before. */
export async function readChangesBefore(
  client: Pick<pg.ClientBase, "query">,
  tenantId: number,
  failures: readonly Failures[],
): Promise<Map<string, SettingsChange>> {
  const { rows } = await client.query<SettingsChange & { fingerprint: string }>(changesSql, [tenantId, JSON.stringify(failures)]);
  return new Map(rows.map(({ fingerprint, ...change }) => [fingerprint, change]));
}
