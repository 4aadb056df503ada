import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { defaultFirst } from "../addresses.ts";
import { type Dead, type OutboundRequest, type Verdict, dead, messageHeaders } from "../connector.ts";
import { addDecimals, isNegative, isZero, subtractDecimals } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { at } from "../forms.ts";
import { NeededAmount, asText } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, type Meanings, delivered, jsonRequest, later, next, stillWorking } from "../json-call.ts";
import type { ContextOf, Delivery as NativeDelivery } from "../native.ts";
import { foreignCurrency } from "../price-guards.ts";
import { linesOfOrder } from "../shipped-lines.ts";
import { tokenGrant } from "../token-grant.ts";
import type { Credentials, Settings } from "./settings.ts";
import { unsoldFault } from "../unsold-items.ts";

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

/** Problem details of ASP.NET: title, detail and, for validation, `errors` by field. */
const manners: Manners = {
  errorOf: (body) => {
    if (!isRecord(body)) return null;
    const fields = isRecord(body["errors"])
      ? Object.entries(body["errors"]).map(([field, texts]) => `${field}: ${[texts].flat().join(" ")}`)
      : [];
    const texts = [body["title"], body["detail"], ...fields].filter((text) => typeof text === "string");
    return texts.length === 0 ? null : texts.join("; ");
  },
};

export function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const { clientId, clientSecret } = credentials;
  const grant = tokenGrant({
    url: at(settings.baseUrl, "Litium/OAuth/Token"),
    headers: { accept: "application/json", "content-type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams({ grant_type: "client_credentials", client_id: clientId, client_secret: clientSecret }).toString(),
    secretHeaders: [],
  });
  return jsonRequest(
    { method, url: at(settings.baseUrl, `Litium/api/connect/erp/${path}`), headers: input ? messageHeaders(input) : {}, body, grant },
    answer,
    read,
    manners,
    meanings,
  );
}

const Accepted = z.object({ importReportId: z.string() });
const ErrorTexts = z
  .union([z.array(z.object({ errorCode: z.string().nullish(), description: z.string().nullish() })), z.record(z.string(), z.unknown())])
  .nullish()
  .transform((errors) =>
    Array.isArray(errors) ? errors.map((error) => error.description ?? error.errorCode ?? "") : Object.values(errors ?? {}).map(textIn),
  );
const Report = z.object({
  status: z.enum(["notStarted", "inProgress", "completed", "completedWithErrors", "failed"]),
  errorMessage: z.string().nullish(),
  importRecords: z.array(z.object({ importEntityId: z.string().nullish(), status: z.string(), errors: ErrorTexts })).nullish(),
});

function textIn(value: unknown): string {
  return isRecord(value) ? asText(value["description"] ?? value["errorCode"]) : asText(value);
}

/** Hands a batch in (202) and looks for its report. A batch names what it writes: inventories and price lists as wholes are never sent. */
function importBatch(delivery: Delivery<EntityType>, batch: object, externalId: string): OutboundRequest {
  const ask = (reportId: string, round: number): OutboundRequest =>
    call(
      delivery,
      { method: "GET", path: `imports/${encodeURIComponent(reportId)}` },
      Report,
      ({ status, errorMessage, importRecords }) => {
        if (status === "notStarted" || status === "inProgress") return stillWorking((following) => ask(reportId, following), round);
        const failed = (importRecords ?? []).filter((record) => record.status !== "success");
        if (status === "completed" && failed.length === 0) return delivered(externalId);
        const texts = failed.flatMap(({ importEntityId, errors }) => errors.map((text) => `${importEntityId ?? ""} ${text}`.trim()));
        return dead(
          "import-failed",
          [errorMessage, ...texts]
            .filter((text) => text != null && text !== "")
            .join("; ")
            .slice(0, 500) || "the import failed",
        );
      },
    );
  const body = { ...batch, importBehavior: "stopOnAnyError" };
  return call(delivery, { method: "POST", path: "imports", body }, Accepted, ({ importReportId }) => next(ask(importReportId, 0), 100));
}

/** A variant within its base product, which is the group or, for an item without one, its own. */
export function deliverItem(delivery: Delivery<"item">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const unsold = unsoldFault(document, "Litium");
  if (unsold) return unsold;
  const productNumber = document.group?.key ?? document.sku;
  const fields = (name: string | null | undefined) => [
    { fieldDefinitionId: "_name", culture: settings.culture, value: name ?? document.sku },
    ...(document.description == null ? [] : [{ fieldDefinitionId: "_description", culture: settings.culture, value: htmlOf(document) }]),
  ];
  const product = {
    articleNumber: productNumber,
    ...(settings.productTemplateId === undefined ? {} : { fieldTemplateId: settings.productTemplateId }),
    fields: fields(document.group?.name ?? document.name),
  };
  const variant = {
    articleNumber: document.sku,
    productArticleNumber: productNumber,
    ...(settings.unitId === undefined ? {} : { unitOfMeasurementId: settings.unitId }),
    fields: fields(document.name),
  };
  return importBatch(delivery, { products: [product], variants: [variant] }, document.sku);
}

export function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const foreign = settings.currency === undefined ? null : foreignCurrency(document, settings.currency);
  if (foreign) return foreign;
  const listId =
    (Object.hasOwn(settings.priceListIds, document.priceList) ? settings.priceListIds[document.priceList] : undefined) ??
    document.priceList;
  const items = [{ minimumQuantity: "0", price: document.price }, ...(document.tiers ?? [])].map(({ minimumQuantity, price }) => ({
    articleNumber: document.sku,
    price: Number(price.amount),
    minimumQuantity: Number(minimumQuantity),
  }));
  return call(delivery, { method: "PUT", path: `prices/${encodeURIComponent(listId)}/items`, body: items }, Anything, () => delivered());
}

export function deliverStock(delivery: Delivery<"stock">): OutboundRequest {
  const { document, settings } = delivery;
  const inventoryId =
    (Object.hasOwn(settings.inventoryIds, document.warehouse) ? settings.inventoryIds[document.warehouse] : undefined) ??
    document.warehouse;
  const items = [{ articleNumber: document.sku, quantity: Number(document.quantity) }];
  return call(delivery, { method: "PUT", path: `inventories/${encodeURIComponent(inventoryId)}/items`, body: items }, Anything, () =>
    delivered(),
  );
}

function field(name: string, value: string | null | undefined): object[] {
  return value == null ? [] : [{ fieldDefinitionId: name, value }];
}

export function deliverCustomer(delivery: Delivery<"customer">): OutboundRequest {
  const { document, settings } = delivery;
  const person = {
    id: document.customerNumber,
    ...(settings.personTemplateId === undefined ? {} : { fieldTemplateId: settings.personTemplateId }),
    fields: [
      ...field("_firstName", document.firstName),
      ...field("_lastName", document.lastName),
      ...field("_email", document.email),
      ...field("_phone", document.phone),
    ],
    addresses: defaultFirst(document.addresses).map((address) => ({
      address1: address.street?.[0] ?? "",
      address2: address.street?.slice(1).join(", ") ?? "",
      zip: address.postalCode ?? "",
      city: address.city ?? "",
      state: address.region ?? "",
      country: address.country ?? "",
      // Litium takes no address without a type, and documents don't tell them apart.
      type: "billingAndShipping",
    })),
  };
  const personSettings = { addressTypeMapping: { BillingAndShipping: settings.addressTypeId } };
  return importBatch(delivery, { persons: [person], personSettings }, document.customerNumber);
}

const Order = z.object({
  rows: z
    .array(z.object({ id: z.string(), type: z.string().nullish(), articleNumber: z.string().nullish(), quantity: NeededAmount }))
    .nullish(),
  shipments: z
    .array(
      z.object({
        id: z.string(),
        trackingReference: z.string().nullish(),
        rows: z.array(z.object({ orderRowId: z.string().nullish(), quantity: NeededAmount })).nullish(),
      }),
    )
    .nullish(),
});

/** What the order still awaits: products less what its shipments hold. Carriage and fees are rows too and are never sent. */
function awaited({ rows, shipments }: z.output<typeof Order>) {
  const sent = (shipments ?? []).flatMap((shipment) => shipment.rows ?? []);
  return (rows ?? [])
    .filter(({ type }) => type == null || type === "product")
    .map(({ id, articleNumber, quantity }) => {
      const sentOfRow = sent.filter(({ orderRowId }) => orderRowId === id).map((row) => row.quantity);
      return { lineNumber: id, sku: articleNumber ?? null, quantity: subtractDecimals(quantity, addDecimals("0", ...sentOfRow)) };
    })
    .filter(({ quantity }) => !isZero(quantity) && !isNegative(quantity));
}

/**
 * The order tells of the shipments that it has; one of our number is not sent again, and told its tracking when that comes later. Once it has
 * been handed to its carrier Litium is told so, in words of its arrival: only then it is sent there, and the order can be completed.
 * https://docs.litium.com/documentation/litium-connect/domain-areas/erp-domain/business-processes/order-fulfillment-process-main-flow
 */
export function deliverShipment(delivery: Delivery<"shipment">): OutboundRequest {
  const { document } = delivery;
  const path = `orders/${encodeURIComponent(document.orderNumber)}`;
  const shipmentPath = `${path}/shipments/${encodeURIComponent(document.shipmentNumber)}`;
  const [tracking] = document.tracking ?? [];
  const trackingFields = { trackingReference: tracking?.number ?? null, trackingUrl: tracking?.url ?? null };
  const done = (): Verdict => delivered(document.shipmentNumber);
  const handOver = (): Verdict => {
    if (document.status === "pending") return delivered();
    // One that has an external id was handed over before.
    if (delivery.input.externalId !== null) return done();
    return next(call(delivery, { method: "POST", path: `${shipmentPath}/notify/delivered` }, Anything, done));
  };
  return call(
    delivery,
    { method: "GET", path },
    Order,
    (order) => {
      if (document.status === "cancelled" || document.status === "failed")
        return dead("not-supported", "Litium takes no shipment back by this API");
      const known = order.shipments?.find(({ id }) => id === document.shipmentNumber);
      if (known && tracking !== undefined && known.trackingReference !== tracking.number)
        return next(call(delivery, { method: "PUT", path: `${shipmentPath}/tracking`, body: trackingFields }, Anything, handOver));
      if (known) return handOver();
      const rows = order.rows ?? [];
      const wanted = document.lines.length > 0 ? document.lines : awaited(order);
      if (wanted.length === 0) return dead("nothing-to-fulfil", "the order awaits nothing any more");
      const shipmentRows: object[] = [];
      const found = linesOfOrder(wanted, rows, (row) => ({ lineNumber: row.id, sku: row.articleNumber }));
      for (const [index, { sku, quantity }] of wanted.entries()) {
        const row = found[index];
        if (!row) return dead("line-unknown", `the order has no row for sku ${sku ?? ""}`);
        shipmentRows.push({ orderRowId: row.id, articleNumber: row.articleNumber, quantity: Number(quantity) });
      }
      const body = {
        id: document.shipmentNumber,
        orderId: document.orderNumber,
        shippingMethod: document.service ?? document.carrier ?? null,
        ...trackingFields,
        rows: shipmentRows,
      };
      return next(call(delivery, { method: "POST", path: `${path}/shipments`, body }, Anything, handOver));
    },
    { 404: () => later("order-unknown", "Litium has no order with this id") },
  );
}

/** An order that has reached its target is told of as exported; that is the only way in which this API takes orders. */
export function deliverOrder(delivery: Delivery<"order">): OutboundRequest {
  const path = `orders/${encodeURIComponent(delivery.document.orderNumber)}/notify/exported`;
  return call(delivery, { method: "POST", path }, Anything, () => delivered(delivery.document.orderNumber), {
    404: () => dead("not-supported", "Litium takes no orders from elsewhere; it is told of its own ones that they were exported"),
  });
}
