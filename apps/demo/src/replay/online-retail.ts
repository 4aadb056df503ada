import { readDelimited, type Row } from "./delimited.ts";
import { groupRows, type Group } from "./group-rows.ts";
import { fileBytes, readLines } from "./lines.ts";
import { countryCodes, londonOffset } from "./online-retail-facts.ts";
import { trimmed, type ExpectedDocument, type Source, type SourceMessage } from "./source.ts";

const columns = ["InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"] as const;
type RawRow = Record<(typeof columns)[number], string>;

/**
 * The UCI data set "Online Retail" (doi 10.24432/C5BW33): one row per invoice line. One raw message is one invoice with its rows as they
 * stand in the file; the translation makes of it an order, its customer and the items it names.
 */
export function onlineRetail(path: string): Source {
  const rows = async function* (): AsyncGenerator<Row> {
    let isHeader = true;
    for await (const row of readDelimited(readLines(fileBytes(path)), { separator: ",", columns: columns.length })) {
      if (!isHeader) yield row;
      isHeader = false;
    }
  };
  return {
    name: "UCI Online Retail",
    code: "online-retail",
    entityTypes: ["order", "item", "customer"],
    posts: "order",
    translation,
    messages: async function* () {
      for await (const group of groupRows(rows, invoiceOf)) yield toMessage(group);
    },
  };
}

/** Rows that name no invoice stand alone, so that each is reported for itself. */
function invoiceOf(row: Row): string {
  return trimmed(row.fields[0]) ?? `(none, line ${row.line})`;
}

function toMessage(group: Group): SourceMessage {
  const problems = group.rows.flatMap((row) => (row.problem === null ? [] : [row.problem]));
  const rows = group.rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row.fields[index] ?? ""])) as RawRow);
  const offset = londonOffset(rows[0]?.InvoiceDate ?? "");
  return {
    label: `invoice ${group.key}`,
    json: JSON.stringify({ offset, rows, ...(problems.length > 0 ? { problems } : {}) }),
    expected: problems.length > 0 || isWriteOff(rows) || !rows[0]?.InvoiceNo.trim() ? "rejected" : expectedDocuments(rows, offset),
  };
}

/** Stock written off appears as an invoice of its own: negative quantity, no price, no customer, and no "C" before its number. */
function isWriteOff(rows: RawRow[]): boolean {
  return !(rows[0]?.InvoiceNo ?? "").startsWith("C") && rows.every((row) => Number(row.Quantity) < 0 && Number(row.UnitPrice) === 0);
}

const lineKinds = new Map([
  ["POST", "shipping"],
  ["DOT", "shipping"],
  ["C2", "shipping"],
  ["D", "discount"],
  ["M", "adjustment"],
  ["m", "adjustment"],
  ["S", "adjustment"],
  ["B", "adjustment"],
  ["BANK CHARGES", "fee"],
  ["AMAZONFEE", "fee"],
  ["CRUK", "fee"],
]);

function expectedDocuments(rows: RawRow[], offset: string): ExpectedDocument[] {
  const first = rows[0];
  if (!first) return [];
  const orderNumber = first.InvoiceNo.trim();
  const orderedAt = `${first.InvoiceDate.trim().replace(" ", "T")}${offset}`;
  const customerNumber = trimmed(first.CustomerID.trim().replace(/\.0+$/, ""));
  const countryName = trimmed(first.Country);
  const country = countryName === null ? null : (countryCodes.get(countryName) ?? null);
  const order: ExpectedDocument = {
    entityType: "order",
    key: orderNumber,
    document: {
      schemaVersion: 1,
      orderNumber,
      kind: orderNumber.startsWith("C") ? "cancellation" : "sale",
      status: orderNumber.startsWith("C") ? "cancelled" : "completed",
      orderedAt,
      updatedAt: orderedAt,
      currency: "GBP",
      customer: customerNumber === null ? null : { customerNumber },
      billingAddress: { country, countryName },
      lines: rows.map(expectedLine),
    },
  };
  const customer: ExpectedDocument[] =
    customerNumber === null
      ? []
      : [
          {
            entityType: "customer",
            key: customerNumber,
            document: { schemaVersion: 1, customerNumber, country, countryName, isActive: true, updatedAt: orderedAt },
          },
        ];
  return [order, ...customer, ...expectedItems(rows, orderedAt)];
}

function expectedLine(row: RawRow, index: number): Record<string, unknown> {
  const code = row.StockCode.trim();
  const kind = lineKinds.get(code) ?? "product";
  return {
    lineNumber: String(index + 1),
    kind,
    sku: kind === "product" ? code : null,
    description: trimmed(row.Description),
    quantity: row.Quantity.trim(),
    unitPrice: { amount: row.UnitPrice.trim(), currency: "GBP" },
    ...(kind === "product" ? {} : { attributes: { code } }),
  };
}

/** What is sold at a price has a proper name; remarks such as "damages" or "?" stand on rows without a price. The last row of an invoice wins. */
function expectedItems(rows: RawRow[], updatedAt: string): ExpectedDocument[] {
  const names = new Map<string, string>();
  for (const row of rows) {
    const sku = row.StockCode.trim();
    const name = trimmed(row.Description);
    if (!lineKinds.has(sku) && name !== null && Number(row.UnitPrice) > 0) names.set(sku, name);
  }
  return [...names].map(([sku, name]) => ({
    entityType: "item",
    key: sku,
    document: { schemaVersion: 1, sku, name, isActive: true, updatedAt },
  }));
}

/** The same rules once more, in the language of the integration point, and with a table of countries of its own. */
const translation = String.raw`(
  $problems := problems;
  $trimmed := function($text) { $replace($text, /^\s+|\s+$/, "") };
  $orNull := function($text) { ($short := $trimmed($text); $short = "" ? null : $short) };
  $price := function($text) { $contains($text, /^\s*-?[0-9]+(\.[0-9]+)?\s*$/) ? $number($trim($text)) : 0 };
  $kinds := {
    "POST": "shipping", "DOT": "shipping", "C2": "shipping", "D": "discount", "BANK CHARGES": "fee", "AMAZONFEE": "fee", "CRUK": "fee",
    "M": "adjustment", "m": "adjustment", "S": "adjustment", "B": "adjustment"
  };
  $countries := {
    "Australia": "AU", "Austria": "AT", "Bahrain": "BH", "Belgium": "BE", "Brazil": "BR", "Canada": "CA", "Cyprus": "CY",
    "Czech Republic": "CZ", "Denmark": "DK", "EIRE": "IE", "Finland": "FI", "France": "FR", "Germany": "DE", "Greece": "GR",
    "Hong Kong": "HK", "Iceland": "IS", "Israel": "IL", "Italy": "IT", "Japan": "JP", "Lebanon": "LB", "Lithuania": "LT", "Malta": "MT",
    "Netherlands": "NL", "Norway": "NO", "Poland": "PL", "Portugal": "PT", "RSA": "ZA", "Saudi Arabia": "SA", "Singapore": "SG",
    "Spain": "ES", "Sweden": "SE", "Switzerland": "CH", "USA": "US", "United Arab Emirates": "AE", "United Kingdom": "GB"
  };
  $first := rows[0];
  $orderNumber := $trimmed($first.InvoiceNo);
  $isCancellation := $substring($orderNumber, 0, 1) = "C";
  $realRows := rows[$not($substring($trimmed(Quantity), 0, 1) = "-" and $price(UnitPrice) = 0)];
  $orderedAt := $replace($trimmed($first.InvoiceDate), " ", "T") & offset;
  $customerNumber := $orNull($replace($trimmed($first.CustomerID), /\.0+$/, ""));
  $countryName := $orNull($first.Country);
  $country := $countryName = null ? null : ($code := $lookup($countries, $countryName); $exists($code) ? $code : null);
  $line := function($row, $index) {(
    $code := $trimmed($row.StockCode);
    $kind := $lookup($kinds, $code);
    $isProduct := $not($exists($kind));
    $merge([{
      "lineNumber": $string($index + 1),
      "kind": $isProduct ? "product" : $kind,
      "sku": $isProduct ? $code : null,
      "description": $orNull($row.Description),
      "quantity": $trimmed($row.Quantity),
      "unitPrice": { "amount": $trimmed($row.UnitPrice), "currency": "GBP" }
    }, $isProduct ? {} : { "attributes": { "code": $code } }])
  )};
  $named := rows[$not($exists($lookup($kinds, $trimmed(StockCode)))) and $trimmed(Description) != "" and $price(UnitPrice) > 0];
  $names := $merge([{}, $named.{ $trimmed(StockCode): $trimmed(Description) }]);
  $exists($problems) ? $error($join($problems, "; ")) :
  $orderNumber = "" ? $error("the row names no invoice") :
  $not($isCancellation) and $not($exists($realRows)) ? $error("not an order: stock written off (negative quantity, no price)") :
  $append($append([{
    "entityType": "order",
    "document": {
      "orderNumber": $orderNumber,
      "kind": $isCancellation ? "cancellation" : "sale",
      "status": $isCancellation ? "cancelled" : "completed",
      "orderedAt": $orderedAt,
      "updatedAt": $orderedAt,
      "currency": "GBP",
      "customer": $customerNumber = null ? null : { "customerNumber": $customerNumber },
      "billingAddress": { "country": $country, "countryName": $countryName },
      "lines": [$map(rows, $line)]
    }
  }], $customerNumber = null ? [] : [{
    "entityType": "customer",
    "document": {
      "customerNumber": $customerNumber, "country": $country, "countryName": $countryName, "updatedAt": $orderedAt
    }
  }]), [$each($names, function($name, $sku) {
    { "entityType": "item", "document": { "sku": $sku, "name": $name, "updatedAt": $orderedAt } }
  })])
)`;
