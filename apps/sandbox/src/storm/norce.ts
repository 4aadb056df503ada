import {
  type Call,
  type Fields,
  type Personality,
  type Reply,
  type Stage,
  fieldsOf,
  hasToken,
  isWrong,
  listOf,
  ok,
  routed,
  textOf,
} from "../personality.ts";

/** What the lists of an import's header may name; the first one must be there. Others are not looked at. */
type FieldLists = Record<string, readonly string[]>;

const productLists: FieldLists = {
  ProductFieldsThatAreSet: ["ManufacturerCode", "ManufacturerName", "Code", "Variants", "Cultures", "Categories", "MainImage"],
  ProductCultureFieldsThatAreSet: ["Name", "NameCreateOnly", "SubHeader", "Description", "DescriptionCreateOnly", "Title", "Tags"],
  VariantFieldsThatAreSet: ["ManufacturerPartNo", "SortOrderValue", "Cultures", "Skus", "MainImage", "VariantParametrics"],
  VariantCultureFieldsThatAreSet: ["CultureCode", "Name", "NameCreateOnly", "Description"],
  SkuFieldsThatAreSet: ["Status", "StatusCreateOnly", "Type", "EanCode", "CommodityCode", "ActualWeight", "IsBuyable", "VatRate"],
};
const priceLists: FieldLists = {
  SkuPriceListFieldsThatAreSet: ["PriceSale", "CostPurchase", "CostUnit", "PriceRecommended", "PricePrevious", "PriceCatalog", "IsActive"],
};
const stockLists: FieldLists = {
  SkuOnhandFieldsThatAreSet: ["OnhandValue", "IncomingValue", "NextDeliveryDate", "LeadTimeDayCount", "IsActive"],
};

function headerFault(control: Fields, lists: FieldLists): string | null {
  if (!Number.isInteger(control["AccountId"])) return "AccountId is required";
  if (typeof control["FullFile"] !== "boolean") return "FullFile is required";
  const [needed] = Object.keys(lists);
  if (needed === undefined || !Array.isArray(control[needed])) return `${needed} is required`;
  for (const [name, known] of Object.entries(lists)) {
    const named: unknown = control[name];
    const unknown = Array.isArray(named) ? named.map(textOf).find((field) => !known.includes(field)) : undefined;
    if (unknown !== undefined) return `${name}: could not convert ${unknown}`;
  }
  return null;
}

const missingIn = (row: Fields, ...names: string[]) => names.find((name) => textOf(row[name]) === "");

/** The sku that a row is about, and what it lacks. */
type Reading = { partNo: string; fault: string | undefined };

function productIn(row: Fields): Reading {
  const [variant = {}] = listOf(row["Variants"]);
  const [sku = {}] = listOf(variant["Skus"]);
  const fault = missingIn(row, "ManufacturerCode") ?? missingIn(variant, "ManufacturerPartNo") ?? missingIn(sku, "PartNo");
  return { partNo: textOf(sku["PartNo"]), fault };
}

const rowOf =
  (...needed: string[]) =>
  (row: Fields): Reading => ({ partNo: textOf(row["PartNo"]), fault: missingIn(row, "PartNo", ...needed) });

/** Norce Connect, and of Query the skus: imports answer with a job; a full file deactivates what it doesn't hold; prices and stock of unknown skus are ignored. */
export function storm(stage: Stage): Personality {
  const { shelves, tokens, tokenSeconds } = stage;
  let isNextRefused = false;

  function importer(kind: "products" | "prices" | "stock", lists: FieldLists, read: (row: Fields) => Reading) {
    return ({ body, headers }: Call): Reply => {
      const control = fieldsOf(JSON.parse(headers["x-stormconnect-header"] ?? "{}"));
      const fault = headerFault(control, lists);
      if (fault !== null) return ok({ Message: `The header is not valid: ${fault}` }, 400);
      const rows = listOf(JSON.parse(body)).map((row) => ({ row, ...read(row) }));
      const faults = rows.flatMap((row) => (row.fault === undefined ? [] : [`${row.fault} is required`]));
      const isRefused = isNextRefused;
      isNextRefused = false;
      if (!isRefused) {
        if (control["FullFile"] === true) shelves.of(kind).clear();
        for (const { row, partNo, fault: wrong } of rows)
          if (wrong === undefined && (kind === "products" || shelves.of("products").has(partNo))) shelves.merge(kind, partNo, row);
      }
      return ok({
        StatusCode: "Accepted",
        Description: "The job has been created",
        JobId: String(shelves.add("jobs", { rounds: 0, isRefused }).id),
        ValidationSummary: { NrOfItemsInTotal: rows.length, NrOfValidationFailures: faults.length, Messages: faults },
      });
    };
  }

  const route = routed(
    {
      "POST /Product/ImportProducts": importer("products", productLists, productIn),
      "POST /Product/ImportSkuPriceLists": importer("prices", priceLists, rowOf("PriceListCode")),
      "POST /Product/ImportOnhands": importer("stock", stockLists, rowOf("WarehouseCode", "LocationCode")),
      "GET /query/Products/ProductSkus": ({ query, headers }) => {
        if (!/^\d+$/.test(headers["applicationid"] ?? "")) return ok({ Message: "The header applicationId is required" }, 400);
        const partNo = /^PartNo eq '(.*)'$/.exec(query.get("$filter") ?? "")?.[1]?.replaceAll("''", "'");
        return ok({ value: partNo !== undefined && shelves.of("products").has(partNo) ? [{ PartNo: partNo }] : [] });
      },
      "GET /Job/Ping": () => ok("ok"),
      "GET /Job/Get": ({ query }) => {
        const id = query.get("id") ?? "";
        const job = fieldsOf(shelves.of("jobs").get(id));
        const rounds = Number(job["rounds"] ?? 0) + 1;
        shelves.merge("jobs", id, { rounds });
        const isFinished = rounds >= 2;
        const [outcome, failed] = job["isRefused"] === true ? [3, 1] : [2, 0];
        return ok({
          JobId: Number(id),
          IsFinished: isFinished,
          StatusId: isFinished ? outcome : 1,
          Fail: isFinished ? failed : 0,
          Totals: 1,
        });
      },
      "GET /Job/GetLog": () =>
        ok([
          { SeverityId: 1, Message: "Import started", TimeStamp: "2026-11-01T08:00:00", ImportedRow: null },
          { SeverityId: 3, Message: "The manufacturer does not exist", TimeStamp: "2026-11-01T08:00:01", ImportedRow: "{}" },
        ]),
    },
    ok({ Message: "No HTTP resource was found that matches the request" }, 404),
  );
  return {
    answer(call) {
      if (call.path !== "/token") return hasToken(call, stage) ? route(call) : ok({ Message: "Unauthorized" }, 401);
      const secret = Buffer.from((call.headers["authorization"] ?? "").replace(/^Basic /, ""), "base64").toString();
      return isWrong(secret) ? ok({ error: "invalid_client" }, 400) : ok({ access_token: tokens.make(), expires_in: tokenSeconds() });
    },
    throttled: () => ok({ Message: "Too many requests" }, 429),
    refusedSoftly(call) {
      isNextRefused = true;
      return this.answer(call);
    },
  };
}
