import { PlaceCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type RequestInput, type Verdict, dead, messageHeaders } from "../connector.ts";
import { htmlOf } from "../descriptions.ts";
import { asText } from "../foreign.ts";
import { BaseUrl, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { type Manners, delivered, jsonRequest, next, stillWorking } from "../json-call.ts";
import { type Delivery as NativeDelivery, nativeConnector } from "../native.ts";
import { priceIn } from "../price-tax.ts";
import { clientCredentials } from "../token-grant.ts";

const Code = z.string().min(1).max(200);

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address of Connect", description: "https://{customer}.api-se.norce.tech/commerce/connect/4.0" }),
  tokenUrl: BaseUrl.meta({ title: "Address for tokens", description: "https://{customer}.api-se.norce.tech/identity/1.0/connect/token" }),
  scope: z.string().max(200).default("production").meta({ title: "Scope" }),
  applicationId: z.int().min(0).meta({ title: "Application" }),
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
type Context = { settings: Settings; credentials: Credentials; input?: RequestInput };

const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["message"] ?? body["Message"] ?? body["title"]) || null : null),
};

function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body, control }: { method: OutboundRequest["method"]; path: string; body?: unknown; control?: object },
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  const headers = { ...(control && { "x-stormconnect-header": JSON.stringify(control) }), ...(input && messageHeaders(input)) };
  const grant = clientCredentials(settings.tokenUrl, credentials.clientId, credentials.clientSecret, settings.scope);
  return jsonRequest({ method, url: at(settings.baseUrl, path), headers, body, grant }, answer, read, manners);
}

const JobId = z.union([z.int(), z.string()]).transform(String);
const Job = z.object({ Status: z.string(), Message: z.string().nullish(), Errors: z.array(z.string()).nullish() });

/**
 * Hands an import in and looks for its job. `FullFile` stays false: a full file deactivates everything that is not in it. Only the fields
 * that are named as set are written.
 */
function importing(
  delivery: Delivery<EntityType>,
  path: string,
  rows: object[],
  fieldsThatAreSet: Record<string, string[]>,
  externalId?: string,
): OutboundRequest {
  const ask = (id: string, round: number): OutboundRequest =>
    call(delivery, { method: "GET", path: `Job/GetJob?${new URLSearchParams({ jobId: id }).toString()}` }, Job, (job) => {
      if (/^(?:queued|created|running|processing)$/i.test(job.Status)) return stillWorking((following) => ask(id, following), round);
      if (/^(?:completed|succeeded|success|done)$/i.test(job.Status)) return delivered(externalId);
      return dead(
        "import-failed",
        [job.Message, ...(job.Errors ?? [])]
          .filter((text) => text != null && text !== "")
          .join("; ")
          .slice(0, 500) || `the import is ${job.Status}`,
      );
    });
  const control = { ApplicationId: delivery.settings.applicationId, FullFile: false, ...fieldsThatAreSet };
  return call(delivery, { method: "POST", path, body: rows, control }, JobId, (id) => next(ask(id, 0), 100));
}

function deliverItem(delivery: Delivery<"item">): OutboundRequest {
  const { document, settings } = delivery;
  const row = {
    Code: document.group?.key ?? document.sku,
    ManufacturerCode: document.brand ?? settings.manufacturerCode,
    Cultures: [
      {
        CultureCode: settings.cultureCode,
        Name: document.group?.name ?? document.name ?? document.sku,
        ...(document.description == null ? {} : { Description: htmlOf(document) }),
      },
    ],
    Variants: [
      {
        PartNo: document.sku,
        ...(document.barcode == null ? {} : { EanCode: document.barcode }),
        IsActive: document.isActive,
        Cultures: [{ CultureCode: settings.cultureCode, Name: document.name ?? document.sku }],
      },
    ],
  };
  const set = {
    ProductFieldsThatAreSet: ["Code", "ManufacturerCode", "Cultures"],
    SkuFieldsThatAreSet: ["PartNo", ...(document.barcode == null ? [] : ["EanCode"]), "IsActive", "Cultures"],
  };
  return importing(delivery, "Product/ImportProducts", [row], set, document.sku);
}

function deliverPrice(delivery: Delivery<"price">): OutboundRequest | Dead {
  const { document, settings } = delivery;
  const net = priceIn("net", document);
  if (net === null) return dead("tax", "Norce takes prices without tax, and this one holds it at a rate that it doesn't tell");
  const list =
    (Object.hasOwn(settings.priceLists, document.priceList) ? settings.priceLists[document.priceList] : undefined) ?? document.priceList;
  const row = {
    PartNo: document.sku,
    PriceLists: [
      {
        PriceListCode: list,
        PriceSale: Number(net.amount),
        PriceRecommended: net.compareAt === null ? null : Number(net.compareAt),
        CurrencyCode: document.price.currency,
      },
    ],
  };
  return importing(delivery, "Product/ImportSkuPriceLists", [row], { PriceFieldsThatAreSet: ["PriceSale", "PriceRecommended"] });
}

function deliverStock(delivery: Delivery<"stock">): OutboundRequest {
  const { document, settings } = delivery;
  const warehouse =
    (Object.hasOwn(settings.warehouses, document.warehouse) ? settings.warehouses[document.warehouse] : undefined) ?? document.warehouse;
  const row = {
    PartNo: document.sku,
    WarehouseCode: warehouse,
    OnHandValue: Number(document.quantity),
    ...(document.incoming == null
      ? {}
      : { IncomingValue: Number(document.incoming.quantity), NextDeliveryDate: document.incoming.expectedAt ?? null }),
  };
  return importing(delivery, "Product/ImportOnhands", [row], {
    // A field that is named here and isn't in the row is emptied: another source may have told what is on its way.
    OnhandFieldsThatAreSet: ["OnHandValue", ...(document.incoming == null ? [] : ["IncomingValue", "NextDeliveryDate"])],
  });
}

/** Norce Connect, formerly Storm. */
export const storm = nativeConnector({
  code: "storm",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "the path Job/GetJob and the names of a job's states",
    "field names of variants, prices and stock, and of the lists of fields that are set",
    "limits of the rate are not documented; 429 is taken for one",
  ],
  deliver: { item: deliverItem, price: deliverPrice, stock: deliverStock },
  leavesOut: {
    item: ["options", "categories", "tags", "weight", "images", "unit", "taxCode", "attributes"],
    price: ["tiers", "attributes"],
    stock: ["unit", "attributes"],
  },
  probe: (context) => call(context, { method: "GET", path: "Job/ListJobs?top=1" }, z.unknown(), () => delivered()),
});
