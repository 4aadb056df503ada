-- Orders noted for all rows of an intake's statement at once: one by one, reading them was the largest part of what an order costs intake.

create or replace function hub.note_order() returns trigger
language plpgsql
as $$
begin
  perform from added where entity_type in ('order', 'shipment') and not is_development limit 1;
  if not found then return null; end if;
  begin
    insert into hub.order_news (tenant_id, subtenant_id, order_number, ordered_at, is_open, is_shipment)
    select news.tenant_id, news.subtenant_id, news.order_number, news.ordered_at, news.is_open, news.is_shipment
    from (
      select added.tenant_id, added.subtenant_id, added.entity_type = 'shipment' as is_shipment,
        case added.entity_type when 'order' then added.business_key else read.document ->> 'orderNumber' end as order_number,
        case added.entity_type when 'order' then (read.document ->> 'orderedAt')::timestamptz end as ordered_at,
        added.entity_type = 'order' and coalesce(read.document ->> 'kind', 'sale') = 'sale' and coalesce(read.document ->> 'status', 'open') = 'open'
          and read.document ->> 'cancelledAt' is null and coalesce(read.document ->> 'fulfilmentStatus', 'unfulfilled') = 'unfulfilled' as is_open,
        added.entity_type = 'order' or read.document ->> 'status' in ('shipped', 'delivered') as is_news
      from added
      cross join lateral (select added.document::jsonb as document offset 0) read
      where added.entity_type in ('order', 'shipment') and not added.is_development
    ) news
    where news.is_news and news.order_number is not null;
  -- One of them can't be read: the others are noted all the same.
  exception when others then
    insert into hub.order_news (tenant_id, subtenant_id, order_number, ordered_at, is_open, is_shipment)
    select added.tenant_id, added.subtenant_id, added.business_key, facts.ordered_at, facts.is_open, false
    from added cross join lateral hub.order_facts(added.document) facts
    where added.entity_type = 'order' and not added.is_development and facts.is_open is not null
    union all
    select added.tenant_id, added.subtenant_id, shipped.order_number, null, false, true
    from added cross join lateral hub.shipment_order(added.document) shipped (order_number)
    where added.entity_type = 'shipment' and not added.is_development and shipped.order_number is not null;
  end;
  return null;
end
$$;

drop trigger note_order on hub.entity_version;
create trigger note_order after insert on hub.entity_version referencing new table as added
  for each statement execute function hub.note_order();
