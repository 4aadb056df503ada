import type { RelatedObject } from "@crossdock/contract";
import type pg from "pg";
import { z } from "zod";

const shipmentsMax = 50;

// Of newest versions alone: an order that a shipment was for once does not have it.
const shipmentsSql = `
  select version.business_key as key, version.document
  from hub.entity_version version
  join hub.entity using (tenant_id, subtenant_id, entity_type, business_key, is_development, version)
  where version.tenant_id = $1 and version.subtenant_id = $2 and version.order_number = $3 and version.is_development = $4
    and entity.deleted_at is null
  order by version.business_key limit ${shipmentsMax}`;

const orderSql = `
  select "order".business_key as key, version.document
  from hub.entity_version version
  join hub.entity using (tenant_id, subtenant_id, entity_type, business_key, is_development, version)
  join hub.entity "order" on "order".tenant_id = $1 and "order".subtenant_id = $2 and "order".entity_type = 'order'
    and "order".business_key = version.order_number and "order".is_development = $4
  where version.tenant_id = $1 and version.subtenant_id = $2 and version.entity_type = 'shipment' and version.business_key = $3
    and version.is_development = $4`;

const Shipment = z.object({
  orderNumber: z.string(),
  carrier: z.string().nullish(),
  tracking: z.array(z.object({ number: z.string() })).nullish(),
});

type Named = { subtenantId: number; entityType: string; key: string; isDevelopment: boolean };

/** An order's shipments, or a shipment's order. `maskText`: what is hidden in a shipment's document is hidden here. */
export async function readRelated(
  client: pg.ClientBase,
  tenantId: number,
  { subtenantId, entityType, key, isDevelopment }: Named,
  maskText: (text: string) => string,
): Promise<RelatedObject[]> {
  const isOrder = entityType === "order";
  if (!isOrder && entityType !== "shipment") return [];
  const values = [tenantId, subtenantId, key, isDevelopment];
  const { rows } = await client.query<{ key: string; document: string }>(isOrder ? shipmentsSql : orderSql, values);
  return rows.flatMap((row): RelatedObject[] => {
    const shipment = readShipment(maskText(row.document));
    if (shipment?.orderNumber !== (isOrder ? key : row.key)) return [];
    if (!isOrder) return [{ entityType: "order", key: row.key, carrier: null, trackingNumbers: [] }];
    const trackingNumbers = (shipment.tracking ?? []).map(({ number }) => number);
    return [{ entityType: "shipment", key: row.key, carrier: shipment.carrier ?? null, trackingNumbers }];
  });
}

function readShipment(text: string): z.output<typeof Shipment> | undefined {
  try {
    return Shipment.safeParse(JSON.parse(text)).data;
  } catch {
    // What is masked as a whole is no JSON.
    return undefined;
  }
}
