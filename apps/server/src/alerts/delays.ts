import type pg from "pg";
import type { OldestOrder } from "@crossdock/contract";

// As intake noted them; the later news of an order wins, and what was shipped stays shipped.
const takeNewsSql = `
  with taken as (
    delete from hub.order_news
    where tenant_id = $1 and id in (select id from hub.order_news where tenant_id = $1 order by id limit 5000 for update skip locked)
    returning id, subtenant_id, order_number, ordered_at, is_open, is_shipment
  ), latest as (
    select subtenant_id, order_number, max(ordered_at) as ordered_at, (array_agg(is_open order by is_shipment, id desc))[1] as is_open,
      bool_or(is_shipment) as is_shipped
    from taken group by subtenant_id, order_number
  ), written as (
    insert into hub.open_order as known (tenant_id, subtenant_id, order_number, ordered_at, closed_at, is_shipped)
    select $1, subtenant_id, order_number, coalesce(ordered_at, $2), case when is_open and not is_shipped then null else $2::timestamptz end, is_shipped
    from latest
    on conflict (tenant_id, subtenant_id, order_number) do update
    set ordered_at = least(known.ordered_at, excluded.ordered_at), is_shipped = known.is_shipped or excluded.is_shipped,
      closed_at = case when known.is_shipped or excluded.closed_at is not null then coalesce(known.closed_at, excluded.closed_at) end
  )
  select count(*)::integer as count from taken`;

/** Orders not shipped within half a year are given up; closed ones are kept for a month, as they show that shipments come at all. */
const pruneSql = `
  delete from hub.open_order
  where tenant_id = $1 and (closed_at < $2::timestamptz - interval '30 days' or ordered_at < $2::timestamptz - interval '180 days')`;

/** Takes in what intake noted of orders and shipments. One at a time: its caller holds the tenant's watch. */
export async function takeOrderNews(client: pg.ClientBase, tenantId: number, now: Date): Promise<void> {
  for (;;) {
    const { rows } = await client.query<{ count: number }>(takeNewsSql, [tenantId, now]);
    if ((rows[0]?.count ?? 0) < 5000) break;
  }
  await client.query(pruneSql, [tenantId, now]);
}

// Only where shipments are known to come through here: elsewhere every order would be one that isn't shipped.
const oldestSql = `
  select subtenant.id as "subtenantId", subtenant.code as "subtenantCode", oldest.order_number as "orderNumber",
    queue.iso(oldest.ordered_at) as "orderedAt",
    (select count(*) from (
      select from hub.open_order where tenant_id = $1 and subtenant_id = subtenant.id and closed_at is null limit 10000) open)::integer as open
  from hub.subtenant
  cross join lateral (
    select order_number, ordered_at from hub.open_order
    where open_order.tenant_id = $1 and open_order.subtenant_id = subtenant.id and open_order.closed_at is null
    order by ordered_at limit 1
  ) oldest
  where subtenant.tenant_id = $1 and subtenant.is_active and ($2::integer is null or subtenant.id = $2)
    and exists (select from hub.open_order where tenant_id = $1 and subtenant_id = subtenant.id and is_shipped)
  order by subtenant.code`;

type Oldest = OldestOrder & { subtenantId: number };

export async function readOldestOrders(client: pg.ClientBase, tenantId: number, subtenantId: number | null): Promise<Oldest[]> {
  return (await client.query<Oldest>(oldestSql, [tenantId, subtenantId])).rows;
}

// Documents that changed nothing count as well: they say that the figures are current.
const stockSql = `
  select subtenant.id as "subtenantId", subtenant.code as "subtenantCode", max(newest.received_at) as "receivedAt"
  from hub.integration_point point
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  cross join lateral (
    select received_at from hub.external_message message
    where message.tenant_id = point.tenant_id and message.integration_point_id = point.id and message.entity_type = 'stock' and message.removed_at is null
      and message.received_at <= $3
    order by message.id desc limit 1
  ) newest
  where point.tenant_id = $1 and point.is_active and point.environment = 'production' and 'stock' = any (point.source_types)
    and subtenant.is_active and not subtenant.incoming_paused and ($2::integer is null or subtenant.id = $2)
  group by 1, 2 order by 2`;

type StockAge = { subtenantId: number; subtenantCode: string; receivedAt: Date };

/** When each subtenant last got stock figures; those that never did are left out. */
export async function readStockAges(client: pg.ClientBase, tenantId: number, subtenantId: number | null, now: Date): Promise<StockAge[]> {
  return (await client.query<StockAge>(stockSql, [tenantId, subtenantId, now])).rows;
}
