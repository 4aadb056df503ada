import type { EntityType, Order } from "@crossdock/contract";
import type { ListedObject, ListedPage, Listing, OutboundRequest } from "./connector.ts";
import { isRecord, toDecimal } from "./json.ts";
import { type Manners, judge } from "./json-call.ts";

type Numbered = {
  cursor: string | null;
  request: (page: number) => OutboundRequest;
  manners: Manners;
  /** The objects of an answer, and whether another page follows. */
  read: (body: unknown, page: number) => { objects: ListedObject[]; hasMore: boolean };
};

/** A list in pages that count from 1. */
export function numberedPages({ cursor, request, manners, read }: Numbered): Listing {
  const page = Math.max(1, Math.trunc(Number(cursor ?? 1)) || 1);
  return {
    request: request(page),
    read: (response) =>
      judge<ListedPage>(response, manners, {}, (body) => {
        const { objects, hasMore } = read(body, page);
        return listed(objects, hasMore ? String(page + 1) : null);
      }),
  };
}

export function listed(objects: ListedObject[], next: string | null): ListedPage {
  return { kind: "listed", objects, next };
}

/** What a shop shows of an order that knows only whether it is cancelled. One that was cancelled may never have come to it. */
export function expectedOrder({ orderNumber, kind, status, currency }: Order): ListedObject | null {
  if (kind === "cancellation") return null;
  const isCancelled = status === "cancelled";
  return { key: orderNumber, fields: { status: isCancelled ? "cancelled" : "open", currency }, ...(isCancelled && { mayBeMissing: true }) };
}

/** An amount as text that is the same however many zeros the system writes: 10, 10.0, "10.00". Null where it is none. */
export function plainAmount(value: unknown): string | null {
  const decimal = typeof value === "string" || typeof value === "number" ? toDecimal(value) : null;
  if (decimal === null) return null;
  const short = decimal.includes(".") ? decimal.replace(/\.?0+$/, "") : decimal;
  return short === "-0" ? "0" : short;
}

/** A text without the blanks around it; null for none. */
export function plainText(value: unknown): string | null {
  const text = typeof value === "string" ? value.trim() : typeof value === "number" || typeof value === "boolean" ? String(value) : "";
  return text === "" ? null : text;
}

export function plainFlag(value: boolean): string {
  return value ? "true" : "false";
}

const amounts = /(?:^|\.)(?:amount|quantity|minimumQuantity|taxRatePercent|value)$/;
const times = /(?:At|validFrom|validTo)$/;
/** What changes without the object changing. */
const passing = new Set(["schemaVersion", "updatedAt"]);
const depthMax = 6;

/** A canonical document, or a part of one, as path → text. Lists of texts are one text, sorted where their order says nothing. */
export function fieldsOfDocument(document: Record<string, unknown>): Record<string, string | null> {
  const fields: Record<string, string | null> = {};
  const visit = (value: unknown, path: string, depth: number): void => {
    if (depth > depthMax) return;
    if (isRecord(value)) {
      for (const [name, inner] of Object.entries(value))
        if (depth > 0 || !passing.has(name)) visit(inner, path ? `${path}.${name}` : name, depth + 1);
    } else if (!Array.isArray(value)) fields[path] = plainValue(path, value);
    else if (value.every((each) => !isRecord(each) && !Array.isArray(each))) fields[path] = plainText(value.map(plainText).join(" | "));
    else for (const [index, each] of value.entries()) visit(each, `${path}.${index}`, depth + 1);
  };
  visit(document, "", 0);
  return fields;
}

function plainValue(path: string, value: unknown): string | null {
  if (amounts.test(path)) return plainAmount(value) ?? plainText(value);
  const text = plainText(value);
  if (text === null || !times.test(path)) return text;
  const milliseconds = Date.parse(text);
  return Number.isNaN(milliseconds) ? text : new Date(milliseconds).toISOString();
}

/** The business key of a document of which the fields are known; null where they don't hold it. */
export function keyOfFields(entityType: EntityType, fields: Record<string, string | null>): string | null {
  const of = (name: string): string | null => fields[name] ?? null;
  const keys: Record<EntityType, () => string | null> = {
    item: () => of("sku"),
    price: () => of("sku") && `${of("sku")}@${of("priceList") ?? "default"}`,
    stock: () => of("sku") && `${of("sku")}@${of("warehouse") ?? "default"}`,
    order: () => of("orderNumber"),
    shipment: () => of("shipmentNumber"),
    customer: () => of("customerNumber"),
  };
  return keys[entityType]();
}
