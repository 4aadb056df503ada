import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { verdictOfStatus } from "../answers.ts";
import { type Dead, type OutboundRequest, type Verdict, dead, messageHeaders } from "../connector.ts";
import { isZero } from "../decimal.ts";
import { htmlOf } from "../descriptions.ts";
import { asText } from "../foreign.ts";
import { BaseUrl, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, delivered, jsonRequest, later, next, stillWorking } from "../json-call.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector } from "../native.ts";
import { priceIn } from "../price-tax.ts";
import { clientCredentials } from "../token-grant.ts";

const Code = z.string().min(1).max(200);

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address of Connect", description: "https://{customer}.api-se.norce.tech/commerce/connect/4.0" }),
  tokenUrl: BaseUrl.meta({ title: "Address for tokens", description: "https://{customer}.api-se.norce.tech/identity/1.0/connect/token" }),
  scope: z.string().max(200).default("production").meta({ title: "Scope" }),
  queryUrl: BaseUrl.meta({ title: "Address of Query", description: "https://{customer}.api-se.norce.tech/commerce/query/2.0" }),
  applicationId: z.int().min(1).meta({ title: "Application", description: "Number of one of the applications; each question names it" }),
  accountId: z.int().min(1).meta({ title: "System account", description: "Number of the integration's account; each import names it" }),
  cultureCode: z
    .string()
    .regex(/^[a-z]{2}-[A-Z]{2}$/)
    .default("sv-SE")
    .meta({ title: "Culture of texts" }),
  manufacturerCode: Code.default("default").meta({ title: "Manufacturer", description: "Of items that name no brand; Norce needs one" }),
  warehouses: z
    .record(PlaceCode, Code)
    .default({})
    .meta({ title: "Warehouses", description: "Warehouse → code in Norce. One that is not named goes by its own name" }),
  locations: z
    .record(PlaceCode, Code)
    .default({})
    .meta({ title: "Locations", description: "Warehouse → code of the location there, which stock in Norce needs" }),
  priceLists: z
    .record(PlaceCode, Code)
    .default({})
    .meta({ title: "Price lists", description: "Price list → code in Norce. One that is not named goes by its own name" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({
  clientId: Secret.meta({ title: "Client id" }),
  clientSecret: Secret.meta({ title: "Client secret" }),
});
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["message"] ?? body["Message"] ?? body["title"]) || null : null),
};

type ApiCall = Call & { baseUrl?: string; headers?: Record<string, string> };

function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, baseUrl = settings.baseUrl, path, body, headers = {} }: ApiCall,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  const grant = clientCredentials(settings.tokenUrl, credentials.clientId, credentials.clientSecret, settings.scope);
  const all = { ...headers, ...(input && messageHeaders(input)) };
  return jsonRequest({ method, url: at(baseUrl, path), headers: all, body, grant }, answer, read, manners);
}

/** OData wraps a list; the reference shows it bare. */
const Skus = z.union([z.array(Anything), z.object({ value: z.array(Anything) }).transform(({ value }) => value)]);

/** Connect passes over prices and stock of skus that it doesn't know and calls their job succeeded, so Query is asked for the sku before. */
function onceKnown(delivery: Delivery<"price" | "stock">, following: OutboundRequest): OutboundRequest {
  const { document, settings } = delivery;
  const filter = encodeURIComponent(`PartNo eq '${document.sku.replaceAll("'", "''")}'`);
  const path = `Products/ProductSkus?$filter=${filter}&$select=PartNo&$top=1`;
  const headers = { applicationid: String(settings.applicationId) };
  return call(delivery, { method: "GET", baseUrl: settings.queryUrl, path, headers }, Skus, (skus) =>
    skus.length === 0 ? later("item-unknown", "Norce has no sku with this part number yet") : next(following),
  );
}

const Accepted = z.object({
  JobId: z.union([z.int(), z.string()]).nullish(),
  Description: z.string().nullish(),
  ValidationSummary: z.object({ NrOfValidationFailures: z.int().nullish(), Messages: z.array(z.string()).nullish() }).nullish(),
});
const Job = z.object({ IsFinished: z.boolean(), StatusId: z.int(), Fail: z.int().nullish() });
const succeeded = 2;
const Log = z.array(z.object({ SeverityId: z.int(), Message: z.string().nullish() }));
const errorSeverity = 3;

/**
 * Hands an import in and looks for its job. `FullFile` stays false: a full file deactivates everything that is not in it. Only the fields
 * that are named as set are written.
 */
function importing(
  delivery: Delivery<EntityType>,
  path: string,
  row: object,
  fieldsThatAreSet: Record<string, string[]>,
  externalId?: string,
): OutboundRequest {
  const ask = (id: string, round: number): OutboundRequest =>
    call(delivery, { method: "GET", path: `Job/Get?${new URLSearchParams({ id }).toString()}` }, Job, (job) => {
      if (!job.IsFinished) return stillWorking((following) => ask(id, following), round);
      return job.StatusId === succeeded && (job.Fail ?? 0) === 0 ? delivered(externalId) : next(failureOf(delivery, id, job.StatusId));
    });
  const control = { AccountId: delivery.settings.accountId, FullFile: false, ...fieldsThatAreSet };
  return call(
    delivery,
    { method: "POST", path, body: [row], headers: { "x-stormconnect-header": JSON.stringify(control) } },
    Accepted,
    ({ JobId: id, Description, ValidationSummary: found }) => {
      // What fails here is no part of the job, which succeeds without it.
      if ((found?.NrOfValidationFailures ?? 0) > 0) return importFailed(found?.Messages ?? [], Description ?? "the import is not valid");
      if (id == null || id === "") return importFailed([], Description ?? "Norce made no job of the import");
      return next(ask(String(id), 0), 100);
    },
  );
}

/** A job has a number for its state; why it failed is in its log. */
function failureOf(delivery: Delivery<EntityType>, id: string, statusId: number): OutboundRequest {
  return call(delivery, { method: "GET", path: `Job/GetLog?${new URLSearchParams({ id }).toString()}` }, Log, (log) =>
    importFailed(
      log.filter(({ SeverityId }) => SeverityId === errorSeverity).map(({ Message }) => Message ?? ""),
      `the job of the import failed, with status ${statusId}`,
    ),
  );
}

function importFailed(messages: readonly string[], otherwise: string): Dead {
  const text = messages.filter((message) => message !== "").join("; ");
  return dead("import-failed", text.slice(0, 500) || otherwise.slice(0, 500));
}

/** Of Norce's statuses of a sku, the two that say whether it is sold. */
const skuStatus = { active: 1, inactive: 5 } as const;

/** Norce knows a product by its manufacturer and that one's part number, which nobody tells: the sku stands for it. */
function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const { group, barcode } = document;
  const row = {
    // Only what has several variants has a code of its own.
    ...(group == null ? {} : { Code: group.key }),
    ManufacturerCode: document.brand ?? settings.manufacturerCode,
    Cultures: [
      {
        CultureCode: settings.cultureCode,
        Name: group?.name ?? document.name ?? document.sku,
        ...(document.description == null ? {} : { Description: htmlOf(document) }),
      },
    ],
    Variants: [
      {
        ManufacturerPartNo: document.sku,
        Cultures: [{ CultureCode: settings.cultureCode, Name: document.name ?? document.sku }],
        Skus: [
          {
            PartNo: document.sku,
            Status: document.isActive ? skuStatus.active : skuStatus.inactive,
            ...(barcode == null ? {} : { EanCode: barcode }),
          },
        ],
      },
    ],
  };
  const set = {
    ProductFieldsThatAreSet: [...(group == null ? [] : ["Code"]), "ManufacturerCode", "Cultures", "Variants"],
    ProductCultureFieldsThatAreSet: ["Name", ...(document.description == null ? [] : ["Description"])],
    VariantFieldsThatAreSet: ["ManufacturerPartNo", "Cultures", "Skus"],
    VariantCultureFieldsThatAreSet: ["CultureCode", "Name"],
    SkuFieldsThatAreSet: ["Status", ...(barcode == null ? [] : ["EanCode"])],
  };
  return importing(delivery, "Product/ImportProducts", row, set, document.sku);
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const net = priceIn("net", document, 4);
  if (net === null) return dead("tax", "Norce takes prices without tax, and this one holds it at a rate that it doesn't tell");
  if (isZero(net.amount)) return dead("price-zero", "Norce leaves the price as it is where it is told 0");
  const row = {
    PartNo: document.sku,
    PriceListCode: codeOf(settings.priceLists, document.priceList) ?? document.priceList,
    CurrencyCode: document.price.currency,
    PriceSale: Number(net.amount),
    // Nothing empties it: where what the price was reduced from is over, the ordinary price is this one.
    PriceRecommended: Number(net.compareAt ?? net.amount),
  };
  const set = { SkuPriceListFieldsThatAreSet: ["PriceSale", "PriceRecommended"] };
  return onceKnown(delivery, importing(delivery, "Product/ImportSkuPriceLists", row, set));
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const { warehouse, incoming } = document;
  const location = codeOf(settings.locations, warehouse);
  if (location === undefined) return dead("mapping-missing", `mapping missing: no location for warehouse '${warehouse}' in the settings`);
  const row = {
    PartNo: document.sku,
    WarehouseCode: codeOf(settings.warehouses, warehouse) ?? warehouse,
    LocationCode: location,
    OnhandValue: Number(document.quantity),
    ...(incoming == null ? {} : { IncomingValue: Number(incoming.quantity), NextDeliveryDate: incoming.expectedAt ?? null }),
  };
  // A field that is named here and isn't in the row is emptied: another source may have told what is on its way.
  const set = { SkuOnhandFieldsThatAreSet: ["OnhandValue", ...(incoming == null ? [] : ["IncomingValue", "NextDeliveryDate"])] };
  return onceKnown(delivery, importing(delivery, "Product/ImportOnhands", row, set));
}

function codeOf(codes: Record<string, string>, place: string): string | undefined {
  return Object.hasOwn(codes, place) ? codes[place] : undefined;
}

/** Norce Connect, formerly Storm. */
export const storm = nativeConnector({
  code: "storm",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "a new sku gets a type by which it is sold, as none is named",
    "Query filters its skus by `PartNo`",
    "limits of the rate are not documented; 429 is taken for one",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock },
  leavesOut: {
    item: ["options", "categories", "tags", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["tiers", "attributes"],
    stock: ["unit", "attributes"],
  },
  // What it answers is not described: its status says enough.
  probe: (context) => ({
    ...call(context, { method: "GET", path: "Job/Ping" }, Anything, () => delivered()),
    read: verdictOfStatus,
  }),
});
