import { countWaiting, fillSearch, foldDeaths, publishStream, saveQueue, saveTarget, type NewMessage } from "@crossdock/queue";
import type pg from "pg";

const entityTypes = ["item", "price", "stock", "order"];
const subtenants = 3;
/** Systems that each subtenant delivers to. */
const targetsEach = 2;

/** One tenant's workspace of a given number of messages, and what its lists are asked about. */
export type Workspace = { tenantId: number; size: number; queues: WorkspaceQueue[]; sourceIds: number[] };
type WorkspaceQueue = { id: number; subtenantId: number; entityType: string };

type Pools = { owner: pg.Pool; worker: pg.Pool };

/**
 * Messages of six targets, of which 5 % are being retried, 1 % are dead of 200 errors, 1 % were removed, 2 % were superseded and 10 % wait;
 * the others were delivered. Beside them half as many external messages and external items, and a quarter as many business objects.
 */
export async function makeWorkspace({ owner, worker }: Pools, size: number, say: (line: string) => void): Promise<Workspace> {
  const { tenantId, points } = await makePoints(owner);
  const queues: WorkspaceQueue[] = [];
  for (const { id, subtenantId } of points.filter(({ isSource }) => !isSource)) {
    await saveTarget(owner, { tenantId, targetId: id, concurrency: 8 });
    for (const entityType of entityTypes) {
      const name = `magento.${entityType}`;
      queues.push({
        id: await saveQueue(owner, { tenantId, targetId: id, name, mode: "fifo", delivery: "push" }),
        subtenantId,
        entityType,
      });
    }
  }
  say(`${size.toLocaleString("en")} messages: publishing`);
  await publishStream(worker, makeMessages(tenantId, queues, size), { batchSize: 2000 });
  say(`${size.toLocaleString("en")} messages: settling them`);
  for (const sql of settling) await owner.query(sql, [tenantId]);
  say(`${size.toLocaleString("en")} messages: what they came from`);
  for (const sql of beside) await owner.query(sql, [tenantId, size]);
  say(`${size.toLocaleString("en")} messages: making them searchable`);
  await fillSearchFast(worker, owner);
  // As upkeep does every second.
  await foldDeaths(worker);
  await countWaiting(worker);
  await owner.query("vacuum full queue.ready");
  await owner.query("vacuum analyze");
  const sourceIds = points.filter(({ isSource }) => isSource).map(({ id }) => id);
  return { tenantId, size, queues, sourceIds };
}

const pointsSql = `
  with tenant as (
    insert into hub.tenant (code, name) values ('bench', 'Bench') returning id
  ), subtenant as (
    insert into hub.subtenant (tenant_id, code, name) select id, 'shop-' || n, 'Shop ' || n from tenant, generate_series(1, ${subtenants}) n
    returning tenant_id, id
  )
  insert into hub.integration_point (tenant_id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, retry)
  select tenant_id, id, case place when 0 then 'litium' else 'magento' end, 'point-' || id || '-' || place, 'Point ' || id || ' ' || place, 'production',
    'push', case place when 0 then $1::text[] else '{}' end, case place when 0 then '{}' else $1::text[] end, '{"maxAttempts": 5, "baseDelayMs": 1000, "maxDelayMs": 3600000}'
  from subtenant, generate_series(0, ${targetsEach}) place
  returning tenant_id as "tenantId", id, subtenant_id as "subtenantId", source_types <> '{}' as "isSource"`;

type Point = { tenantId: number; id: number; subtenantId: number; isSource: boolean };

async function makePoints(owner: pg.Pool): Promise<{ tenantId: number; points: Point[] }> {
  const { rows } = await owner.query<Point>(pointsSql, [entityTypes]);
  return { tenantId: rows[0]?.tenantId ?? 0, points: rows.toSorted((a, b) => a.id - b.id) };
}

const words = ["oak", "linen", "stoneware", "brass", "birch", "wool", "walnut", "cotton", "glass", "ash"];

/** Documents of a few hundred bytes. Each holds a common word; one in 10,000 a rare one. */
async function* makeMessages(tenantId: number, queues: readonly WorkspaceQueue[], size: number): AsyncGenerator<NewMessage> {
  for (let n = 0; n < size; n += 1) {
    const queue = queues[n % queues.length];
    if (!queue) return;
    const name = `table lamp ${words[n % words.length]} ${n % 10_000 === 77 ? `zephyrine ${n}` : n}`;
    const document = JSON.stringify({
      sku: `SKU-${n}`,
      name,
      brand: "Nordhem",
      categories: ["Lighting"],
      barcode: String(2_000_000_000_000 + n),
    });
    const { id: queueId, subtenantId, entityType } = queue;
    yield { tenantId, queueId, subtenantId, key: `SKU-${n}`, entityType, source: "litium", document };
  }
}

// A number from 0 to 99 that follows from an id and from nothing else that the lists go by.
const lot = "(hashint8(id) & 1048575) % 100";
const taken = (condition: string): string => `with gone as (delete from queue.ready where tenant_id = $1 and ${condition} returning *)`;
const fault = `'http-503' as error_class, '503 of warehouse ' || id % 200 as error_message, 'http-503 ' || id % 200 as fingerprint`;

/** Brings messages where operators find them; in place of deliveries, which would take hours. */
const settling = [
  `${taken(`${lot} < 5`)}
   insert into queue.retrying (id, lane, version, due_at, tenant_id, queue_id, shard, attempts, collapses, error_class, error_message, fingerprint)
   select id, lane, version, now() + interval '1 hour' + (hashint8(id) & 65535) * interval '1 second', tenant_id, queue_id, shard, 2, collapses, ${fault} from gone`,
  `${taken(`${lot} = 5`)}
   insert into queue.dead (id, lane, version, dead_at, tenant_id, queue_id, shard, attempts, collapses, error_class, error_message, fingerprint)
   select id, lane, version, now() - (hashint8(id) & 65535) * interval '1 second', tenant_id, queue_id, shard, 5, collapses, ${fault} from gone`,
  `${taken(`${lot} = 6`)}
   insert into queue.removed (id, lane, version, tenant_id, queue_id, shard, attempts, collapses, removed_from, removed_by)
   select id, lane, version, tenant_id, queue_id, shard, 0, collapses, 'ready', 'bench' from gone`,
  `${taken(`${lot} >= 17`)}
   insert into queue.history (tenant_id, queue_id, id, attempts, outcome)
   select tenant_id, queue_id, id, 1, case when ${lot} < 19 then 'superseded' else 'delivered' end from gone`,
  `insert into queue.attempt (tenant_id, queue_id, id, number, started_at, duration_ms, error_class, error_message, fingerprint, exchange)
   select tenant_id, queue_id, id, 1, now(), 20, ${fault}, '{"request": null, "response": {"status": 503, "headers": {}, "body": "no"}}'
   from (select tenant_id, queue_id, id from queue.retrying union all select tenant_id, queue_id, id from queue.dead) failed where tenant_id = $1`,
];

const pointsWith = (types: string) => `
  (select row_number() over (order by point.id) - 1 as place, point.tenant_id, point.id as point_id, point.subtenant_id
   from hub.integration_point point where point.tenant_id = $1 and point.${types} <> '{}')`;
const sources = pointsWith("source_types");
const targetPoints = pointsWith("target_types");
const typeOf = `(array['item', 'price', 'stock', 'order'])[1 + n % 4]`;

/** Half as many external messages, of which one in a hundred is rejected; a quarter as many business objects; half as many external items. */
const beside = [
  `insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, received_at, channel, entity_type, business_key, state, signature,
     content_type, headers, body)
   select tenant_id, nextval('queue.message_id'), subtenant_id, point_id, now(), 'hook', ${typeOf}, 'SKU-' || n,
     case when n % 100 = 7 then 'rejected' else 'accepted' end, 'valid', 'application/json', '{}', convert_to('{"sku":"SKU-' || n || '","lines":[{"sku":"L-' || n || '"}]}', 'UTF8')
   from generate_series(0, $2::integer / 2 - 1) n join ${sources} source on source.place = (n / 4) % ${subtenants} order by n`,
  `insert into hub.entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, integration_point_id)
   select tenant_id, subtenant_id, ${typeOf}, 'SKU-' || n, false, 1, '\\x00', point_id
   from generate_series(0, $2::integer / 4 - 1) n join ${sources} source on source.place = (n / 4) % ${subtenants}`,
  `insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
   select tenant_id, subtenant_id, ${typeOf}, 'SKU-' || n, false, 1, 1, point_id, '{"sku":"SKU-' || n || '"}'
   from generate_series(0, $2::integer / 4 - 1) n join ${sources} source on source.place = (n / 4) % ${subtenants}`,
  `insert into hub.external_item (tenant_id, integration_point_id, entity_type, business_key, subtenant_id, external_id, delivered_hash, message_id)
   select tenant_id, point_id, ${typeOf}, 'SKU-' || n, subtenant_id, 'ext-' || n, '\\x00', 1
   from generate_series(0, $2::integer / 2 - 1) n join ${targetPoints} source on source.place = (n / 4) % ${subtenants * targetsEach}`,
];

/** With the index built afterwards, in seconds instead of minutes; the partitions get it from their parent. */
async function fillSearchFast(worker: pg.Pool, owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query<{ definition: string }>("select pg_get_indexdef('queue.search_text_trigram'::regclass) as definition");
  await owner.query("drop index queue.search_text_trigram");
  while ((await fillSearch(worker, 5000)) > 0);
  await owner.query((rows[0]?.definition ?? "").replace(" ON ONLY ", " ON "));
}
