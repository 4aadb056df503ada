import { matchingSql, Parameters, type MessageFilter } from "./message-filter.ts";
import type { Queryable } from "./model.ts";

// From key to key along the index: a key with a thousand messages costs no more than one with a single one.
const findKeysSql = `
  with recursive found (key, place) as (
    (select m.key, 1 from queue.message m where m.tenant_id = $1 and m.key >= $2 order by m.key limit 1)
    union all
    select following.key, found.place + 1
    from found cross join lateral (
      select m.key from queue.message m where m.tenant_id = $1 and m.key > found.key order by m.key limit 1
    ) following
    where starts_with(found.key, $2) and found.place < $3
  )
  select key from found where starts_with(key, $2) order by key`;

/** Up to `limit` different business keys that begin with `prefix`, in order. */
export async function findKeys(
  db: Queryable,
  { tenantId, prefix, limit }: { tenantId: number; prefix: string; limit: number },
): Promise<string[]> {
  const { rows } = await db.query<{ key: string }>(findKeysSql, [tenantId, prefix, limit]);
  return rows.map(({ key }) => key);
}

/** Those of the filter's keys of which no message matches all of the filter but its search, in their order. */
export async function findMissingKeys(
  db: Queryable,
  { tenantId, filter: { keys = [], ...filter } }: { tenantId: number; filter: MessageFilter },
): Promise<string[]> {
  const query = new Parameters();
  const ofKey = matchingSql(query, tenantId, { ...filter, keySql: "wanted.key" }, { from: null, before: null }, 1);
  const text = `select wanted.key from unnest(${query.add([...new Set(keys)])}::text[]) with ordinality wanted (key, place)
    where not exists (select from (${ofKey}) of_key) order by place`;
  return (await db.query<{ key: string }>(text, query.values)).rows.map(({ key }) => key);
}
