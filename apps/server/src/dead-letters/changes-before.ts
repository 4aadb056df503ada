import type pg from "pg";
import { missingMappingClass } from "@crossdock/connectors";
import type { DeadLetterGroup, SettingsChange } from "@crossdock/contract";

type Failures = Pick<DeadLetterGroup, "fingerprint" | "errorClass" | "error" | "firstAt" | "integrationPointIds" | "queueIds">;

/** What fails before the system has read the document: no mapping can have to do with it. */
const unread: ReadonlySet<string> = new Set([
  "address-refused",
  "name-not-found",
  "connection-failed",
  "connection-lost",
  "tls-failed",
  "timeout",
  "aborted",
  "authorization",
  "throttled",
  "http-401",
  "http-403",
  "http-407",
  "http-429",
]);

// A version like the one before it has other credentials, which are not kept. To pause or to rename is no change that anything dies of. Neither
// is what came after the message had failed already, as one that was requeued and died again. Of what a target is told only those mappings
// say something that lead to it; an error for want of one names its field, with or without the path. The changes of a version, which may be
// an import of many thousands, are read once for all errors.
const changesSql = `
  with failed as materialized (
    select * from jsonb_to_recordset($2::jsonb) as failed (fingerprint text, error text, "firstAt" timestamptz, "integrationPointIds" integer[],
      "queueIds" integer[], "isUnread" boolean, "isUnmapped" boolean)
  ), mapped as materialized (
    select distinct version.version, version.made_at, version.made_by, content.said ->> 'target' as target, content.said ->> 'fieldName' as field,
      (content.said ->> 'subtenantId')::integer as subtenant_id
    from hub.mapping_version version
    join hub.mapping_change change on change.tenant_id = $1 and change.version = version.version
    cross join lateral (values (change.before), (change.after)) as content (said)
    where version.tenant_id = $1 and content.said is not null and exists (
      select from failed where not failed."isUnread" and version.made_at > failed."firstAt" - interval '1 day' and version.made_at <= failed."firstAt")
  )
  select failed.fingerprint, changed.integration_point_id as "integrationPointId", changed.version, queue.iso(changed.made_at) as "madeAt",
    changed.made_by as "madeBy"
  from failed
  cross join lateral (
    (
      select point.integration_point_id, point.version, point.made_at, point.made_by
      from hub.integration_point_version point
      join hub.integration_point_version before on before.tenant_id = $1 and before.integration_point_id = point.integration_point_id
        and before.version = point.version - 1
      where point.tenant_id = $1 and point.integration_point_id = any (failed."integrationPointIds") and not failed."isUnmapped"
        and point.made_at > failed."firstAt" - interval '1 day' and point.made_at <= failed."firstAt"
        and (point.content = before.content or point.content - '{isPaused,name}'::text[] <> before.content - '{isPaused,name}'::text[])
      order by point.made_at desc limit 1
    )
    union all
    (
      select null, mapped.version, mapped.made_at, mapped.made_by from mapped
      where not failed."isUnread" and mapped.made_at > failed."firstAt" - interval '1 day' and mapped.made_at <= failed."firstAt"
        and exists (
          select from hub.integration_point point
          where point.tenant_id = $1 and point.id = any (failed."integrationPointIds") and point.connector = mapped.target
            and coalesce(mapped.subtenant_id, point.subtenant_id) = point.subtenant_id)
        and (not failed."isUnmapped" or strpos(failed.error, ' ' || mapped.field || ' ''') > 0 or strpos(failed.error, '.' || mapped.field || ' ''') > 0)
      order by mapped.made_at desc limit 1
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

/** The change of settings that each error followed and may come from, by fingerprint; none where there was none in the day before. */
export async function readChangesBefore(
  client: Pick<pg.ClientBase, "query">,
  tenantId: number,
  failures: readonly Failures[],
): Promise<Map<string, SettingsChange>> {
  const failed = failures.map(({ errorClass, ...failure }) => ({
    ...failure,
    isUnread: unread.has(errorClass ?? ""),
    isUnmapped: errorClass === missingMappingClass,
  }));
  const { rows } = await client.query<SettingsChange & { fingerprint: string }>(changesSql, [tenantId, JSON.stringify(failed)]);
  return new Map(rows.map(({ fingerprint, ...change }) => [fingerprint, change]));
}
