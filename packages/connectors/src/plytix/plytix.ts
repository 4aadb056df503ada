import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type ReceivedDocument, type Verdict, dead, messageHeaders } from "../connector.ts";
import { formatOf } from "../descriptions.ts";
import { Text, asText, utcTime } from "../foreign.ts";
import { BaseUrl, Currency, PriceReading, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, type Meanings, delivered, jsonRequest, later, next } from "../json-call.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { foreignCurrency } from "../price-guards.ts";
import { tokenGrant } from "../token-grant.ts";
import { isDeleted, unsoldFault } from "../unsold-items.ts";

const Attribute = z.string().regex(/^[a-z0-9_]{1,100}$/);

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "https://pim.plytix.com" }),
  authUrl: BaseUrl.default("https://auth.plytix.com").meta({ title: "Address for tokens" }),
  descriptionAttribute: Attribute.default("description").meta({ title: "Attribute of descriptions" }),
  brandAttribute: Attribute.default("brand").meta({ title: "Attribute of brands" }),
  activeAttribute: Attribute.optional().meta({
    title: "Attribute of what is sold",
    description: "Gets true or false; without it, items that are no longer sold fail",
  }),
  priceAttribute: Attribute.default("price").meta({ title: "Attribute of prices" }),
  stockAttribute: Attribute.default("stock").meta({ title: "Attribute of stock" }),
  priceList: PlaceCode.default("default").meta({ title: "Price list", description: "The price list whose prices are sent" }),
  currency: Currency.optional().meta({
    title: "Currency",
    description: "In which the attribute's prices are, as it holds a bare number; prices in another one are refused",
  }),
  priceReading: PriceReading,
  warehouse: PlaceCode.default("default").meta({ title: "Warehouse", description: "The warehouse whose stock is sent" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({ apiKey: Secret.meta({ title: "API key" }), apiPassword: Secret.meta({ title: "API password" }) });
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

function errorOf(body: unknown): string | null {
  const error = isRecord(body) ? body["error"] : undefined;
  const errors =
    isRecord(error) && Array.isArray(error["errors"])
      ? error["errors"]
      : isRecord(body) && Array.isArray(body["errors"])
        ? body["errors"]
        : [];
  const texts = errors
    .filter(isRecord)
    .map((each) =>
      [asText(each["name"] ?? each["field"]), asText(each["description"] ?? each["msg"])].filter((text) => text !== "").join(": "),
    );
  return texts.length > 0 ? texts.join("; ") : isRecord(error) ? asText(error["msg"]) || null : null;
}

const manners: Manners = {
  errorOf,
  failureOf: (body) => {
    const text = errorOf(body);
    return text === null ? null : dead("refused", text.slice(0, 500));
  },
};

/** A token lives 15 minutes; the answer has it in a list of one. */
function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const grant = tokenGrant(
    {
      url: at(settings.authUrl, "auth/api/get-token"),
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ api_key: credentials.apiKey, api_password: credentials.apiPassword }),
      secretHeaders: [],
    },
    (granted) => {
      const [first] = isRecord(granted) && Array.isArray(granted["data"]) ? granted["data"] : [];
      return isRecord(first) ? { token: first["access_token"], expiresIn: 900 } : null;
    },
  );
  return jsonRequest(
    { method, url: at(settings.baseUrl, `api/v3/${path}`), headers: input ? messageHeaders(input) : {}, body, grant },
    answer,
    read,
    manners,
    meanings,
  );
}

const Found = z.object({ data: z.array(z.object({ id: z.string(), sku: z.string() })) });
const Made = z.object({ data: z.object({ id: z.string() }) });

/** Products by query: a name by itself filters by equality, `[gte]` behind it by another comparison. */
function search(query: [name: string, value: string][]): Call {
  return { method: "GET", path: `products?${new URLSearchParams(query).toString()}` };
}

const fields = (...names: string[]): [name: string, value: string][] => names.map((name) => ["_fields", name]);

function findProduct(delivery: Delivery<"item" | "price" | "stock">, sku: string, then: (id: string | null) => Verdict): OutboundRequest {
  // A filter that isn't understood is no error there: then everything is found.
  return call(delivery, search([["sku", sku], ...fields("id", "sku")]), Found, ({ data }) =>
    then(data.find((product) => product.sku === sku)?.id ?? null),
  );
}

/** One attribute at a time: a change of the whole map deletes what it doesn't name. */
function setAttributes(delivery: Delivery<EntityType>, id: string, attributes: [name: string, value: string | boolean][]): Verdict {
  const [first, ...rest] = attributes;
  if (!first) return delivered(id);
  const path = `products/${encodeURIComponent(id)}/attributes/${encodeURIComponent(first[0])}`;
  return next(call(delivery, { method: "PATCH", path, body: first[1] }, Anything, () => setAttributes(delivery, id, rest)));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest | Dead {
  const { document, input, settings } = delivery;
  const unsold = settings.activeAttribute === undefined ? unsoldFault(document, "Plytix, without an attribute of what is sold,") : null;
  if (unsold) return unsold;
  const attributes: [string, string | boolean][] = [];
  if (settings.activeAttribute !== undefined) attributes.push([settings.activeAttribute, document.isActive]);
  if (document.description != null) attributes.push([settings.descriptionAttribute, document.description]);
  if (document.brand != null) attributes.push([settings.brandAttribute, document.brand]);
  const label = document.name ?? document.sku;
  const update = (id: string) =>
    call(delivery, { method: "PATCH", path: `products/${encodeURIComponent(id)}`, body: { label } }, Anything, () =>
      setAttributes(delivery, id, attributes),
    );
  if (input.externalId !== null) return update(input.externalId);
  return findProduct(delivery, document.sku, (id) => {
    if (id !== null) return next(update(id));
    if (isDeleted(document)) return delivered();
    const body = { sku: document.sku, label };
    return next(
      call(delivery, { method: "POST", path: "products", body }, Made, ({ data: { id: made } }) =>
        setAttributes(delivery, made, attributes),
      ),
    );
  });
}

function setOne(delivery: Delivery<"price" | "stock">, name: string, value: string): OutboundRequest {
  const { document, input } = delivery;
  const path = (id: string) => `products/${encodeURIComponent(id)}/attributes/${encodeURIComponent(name)}`;
  const set = (id: string) => call(delivery, { method: "PATCH", path: path(id), body: Number(value) }, Anything, () => delivered(id));
  if (input.externalId !== null) return set(input.externalId);
  return findProduct(delivery, document.sku, (id) =>
    id === null ? later("item-unknown", "Plytix has no product with this sku yet") : next(set(id)),
  );
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.priceList !== settings.priceList) return dead("price-list", `prices of price list ${settings.priceList} are sent only`);
  const foreign = settings.currency === undefined ? null : foreignCurrency(document, settings.currency);
  return foreign ?? setOne(delivery, settings.priceAttribute, document.price.amount);
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  if (document.warehouse !== settings.warehouse) return dead("warehouse", `stock of warehouse ${settings.warehouse} is sent only`);
  return setOne(delivery, settings.stockAttribute, document.quantity);
}

const Product = z.object({
  sku: z.string().min(1),
  label: Text,
  gtin: Text,
  modified: Text,
  attributes: z.record(z.string(), z.unknown()).nullish(),
  thumbnail: z.object({ url: z.url() }).nullish(),
});

function itemOf(product: z.output<typeof Product>, settings: Settings): ReceivedDocument[] {
  const attribute = (name: string) => asText(product.attributes?.[name]) || null;
  const description = attribute(settings.descriptionAttribute);
  const document = {
    sku: product.sku,
    name: product.label,
    description,
    descriptionFormat: formatOf(description),
    brand: attribute(settings.brandAttribute),
    barcode: product.gtin,
    images: product.thumbnail == null ? [] : [{ url: product.thumbnail.url }],
    updatedAt: utcTime(product.modified),
  };
  return [{ entityType: "item", document }];
}

const pageSize = 100;

function pullItems({ cursor, now, ...context }: Context & Pulling) {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) => {
      const query = search([
        ...fields("id", "sku", "label", "gtin", "modified", "attributes"),
        ...(since === null ? [] : [["modified[gte]", since] satisfies [string, string]]),
        ["_sort_by", "modified"],
        ["_page", String(page)],
        ["_page_size", String(pageSize)],
      ]);
      return call(context, query, Anything, () => delivered());
    },
    manners,
    objectsOf: (body) => (isRecord(body) && Array.isArray(body["data"]) ? body["data"] : []),
    hasMore: (body) => isRecord(body) && isRecord(body["pagination"]) && asText(body["pagination"]["next_page"]) !== "",
    idOf: (product) => product["id"] ?? product["sku"],
    changedAt: (product) => product["modified"],
  });
}

/** Plytix PIM, API v3. */
export const plytix = nativeConnector({
  code: "plytix",
  settings: Settings,
  credentials: Credentials,
  unverified: ["429 has no header that names the wait"],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock },
  leavesOut: {
    item: ["group", "options", "categories", "tags", "barcode", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["compareAtPrice", "tiers", "attributes"],
    stock: ["unit", "incoming", "attributes"],
  },
  receive: { item: translator<typeof Product, Settings>(Product, itemOf) },
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["data"]) ? payload["data"] : [payload].flat()),
  probe: (context) => call(context, search([...fields("id"), ["_page_size", "1"]]), Anything, () => delivered()),
  pull: { item: pullItems },
});
