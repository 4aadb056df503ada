import { z } from "zod";
import { type OutboundRequest, messageHeaders } from "../connector.ts";
import { Id, NeededAmount, Text, listOf, money, utcTime } from "../foreign.ts";
import { BaseUrl, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Manners, delivered, jsonRequest, later } from "../json-call.ts";
import { nativeConnector, translator } from "../native.ts";
import { changesSince } from "../paging.ts";

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "Where Acme answers: https://acme.example.com/api" }),
});
const Credentials = z.strictObject({ apiKey: Secret.meta({ title: "API key" }) });
type Context = { settings: z.infer<typeof Settings>; credentials: z.infer<typeof Credentials> };

/** Acme's errors are `{error: text}`. */
const manners: Manners = { errorOf: (body) => (isRecord(body) && typeof body["error"] === "string" ? body["error"] : null) };

function headersOf({ credentials }: Context, others: Record<string, string> = {}) {
  return { headers: { ...others, "x-api-key": credentials.apiKey }, secretHeaders: ["x-api-key"] };
}

const Order = z.object({
  number: Id,
  placedAt: z.string(),
  currency: z.string(),
  email: Text,
  rows: listOf(z.object({ id: Id, article: Text, pieces: NeededAmount, price: NeededAmount })),
});

/** Acme takes items and stock, and has orders to be pulled. */
export const acme = nativeConnector({
  // A real connector has an entry of its own in the catalogue.
  code: "queryservice",
  settings: Settings,
  credentials: Credentials,
  unverified: ["Acme keeps the article number that is sent with PUT"],
  deliver: {
    // PUT by article number: sent twice, it makes one article.
    item: ({ document, input, settings, credentials }): OutboundRequest => {
      const url = at(settings.baseUrl, `articles/${encodeURIComponent(document.sku)}`);
      const body = { title: document.name ?? document.sku, text: document.description, onSale: document.isActive };
      const call = { method: "PUT", url, ...headersOf({ settings, credentials }, messageHeaders(input)), body } as const;
      return jsonRequest(call, z.object({ id: Id }), ({ id }) => delivered(id), manners);
    },
    stock: ({ document, input, settings, credentials }): OutboundRequest => {
      const url = at(settings.baseUrl, `articles/${encodeURIComponent(document.sku)}/stock`);
      const body = { pieces: Number(document.quantity) };
      const call = { method: "PUT", url, ...headersOf({ settings, credentials }, messageHeaders(input)), body } as const;
      // Stock may be faster than its item: that passes, and is not Acme's fault.
      return jsonRequest(call, Anything, () => delivered(), manners, {
        404: () => later("item-unknown", "Acme has no such article yet"),
      });
    },
  },
  leavesOut: {
    item: ["group", "options", "brand", "categories", "tags", "barcode", "weight", "images", "unit", "taxCode", "attributes"],
    stock: ["unit", "incoming", "attributes"],
  },
  receive: {
    order: translator<typeof Order, Context["settings"]>(Order, ({ number, placedAt, currency, email, rows }) => [
      {
        entityType: "order",
        document: {
          orderNumber: number,
          orderedAt: utcTime(placedAt),
          currency,
          customer: { email },
          lines: rows.map(({ id, article, pieces, price }) => {
            return { lineNumber: id, sku: article, description: null, quantity: pieces, unitPrice: money(price, currency) };
          }),
        },
      },
    ]),
  },
  probe: (context) => {
    const url = at(context.settings.baseUrl, "ping");
    return jsonRequest({ method: "GET", url, ...headersOf(context) }, Anything, () => delivered(), manners);
  },
  pull: {
    order: ({ cursor, now, ...context }) =>
      changesSince({
        cursor,
        now,
        pageSize: 100,
        request: ({ since, page }) => {
          const query = new URLSearchParams({ page: String(page), ...(since === null ? {} : { changedSince: since }) });
          const url = at(context.settings.baseUrl, `orders?${query.toString()}`);
          return jsonRequest({ method: "GET", url, ...headersOf(context) }, Anything, () => delivered());
        },
        manners,
        objectsOf: (body) => (Array.isArray(body) ? body : []),
        idOf: (order) => order["number"],
        changedAt: (order) => order["changedAt"],
      }),
  },
});
