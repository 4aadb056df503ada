import type { SkippedRow } from "@crossdock/contract";
import type pg from "pg";
import { leftOf } from "../api/skipped.ts";

const lastChangesSql = `
  select last.mapping_id::text as id, concat_ws(' ', last.content ->> 'fieldName', last.content ->> 'sourceValue') as name,
    last.after is not null as "isThere", last.made_by as by, queue.iso(last.made_at) as at
  from unnest($2::integer[]) wanted (id)
  cross join lateral (
    select change.mapping_id, change.after, coalesce(change.after, change.before) as content, version.made_by, version.made_at
    from hub.mapping_change change join hub.mapping_version version using (tenant_id, version)
    where change.tenant_id = $1 and change.mapping_id = wanted.id order by change.version desc limit 1
  ) last`;

type LastChange = Pick<SkippedRow, "id" | "name" | "isThere"> & { by: string; at: string };

async function readLastChanges(client: pg.ClientBase, tenantId: number, ids: readonly number[]): Promise<LastChange[]> {
  return (await client.query<LastChange>(lastChangesSql, [tenantId, ids])).rows;
}

/** Who changed a mapping last; null where that is not kept. */
export async function lastChangedBy(client: pg.ClientBase, tenantId: number, id: number): Promise<string | null> {
  return (await readLastChanges(client, tenantId, [id]))[0]?.by ?? null;
}

/** Why mappings were left as they were, by the last thing that is known of each. */
export async function explainSkipped(
  client: pg.ClientBase,
  tenantId: number,
  wanted: readonly number[],
  changed: readonly number[],
): Promise<SkippedRow[]> {
  const left = leftOf(wanted, changed);
  if (left.length === 0) return [];
  const known = new Map((await readLastChanges(client, tenantId, left)).map((row) => [row.id, row]));
  return left.map((id) => {
    const { name = String(id), isThere = false, by = null, at = null } = known.get(String(id)) ?? {};
    return { id: String(id), name, isThere, removedBy: isThere ? null : by, removedAt: isThere ? null : at };
  });
}
