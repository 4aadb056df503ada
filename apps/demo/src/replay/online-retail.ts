import { readDelimited, type Row } from "./delimited.ts";
import { groupRows, type Group } from "./group-rows.ts";
import { fileBytes, readLines } from "./lines.ts";
import { countryCodes, londonOffset } from "./online-retail-facts.ts";
import { trimmed, trimmedOrNull, type Expectation, type ExpectedDocument, type Source, type SourceMessage } from "./source.ts";

const columns = ["InvoiceNo", "StockCode", "Description", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID", "Country"] as const;
type RawRow = Record<(typeof columns)[number], string>;

/**
 * The UCI data set "Online Retail" (doi 10.24432/C5BW33): one row per invoice line. One raw message is one invoice with its rows as they
 * stand in the file; the translations make of it an order, its customer and the items it names.
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
    translations,
    messages: async function* () {
      for await (const group of groupRows(rows, invoiceOf)) yield toMessage(group);
    },
  };
}

/** Rows that name no invoice stand alone, so that each is reported for itself; a damaged number still belongs to its invoice. */
function invoiceOf(row: Row): string {
  return trimmedOrNull(row.fields[0]?.replaceAll(/[␀\uFFFD]/g, "")) ?? `(none, line ${row.line})`;
}

function toMessage(group: Group): SourceMessage {
  const problems = group.rows.flatMap((row) => (row.problem === null ? [] : [row.problem]));
  const rows = group.rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row.fields[index] ?? ""])) as RawRow);
  const offset = londonOffset(rows[0]?.InvoiceDate ?? "");
  return {
    label: `invoice ${group.key}`,
    json: JSON.stringify({ offset, rows, ...(problems.length > 0 ? { problems } : {}) }),
    expected: (entityType) => {
      const [first] = rows;
      if (problems.length > 0 || first === undefined || first.InvoiceNo === "") return "rejected";
      const orderedAt = `${first.InvoiceDate.replaceAll(" ", "T")}${offset}`;
      if (entityType === "order") return isWriteOff(rows, first) ? "rejected" : [expectedOrder(rows, first, orderedAt)];
      return entityType === "customer" ? expectedCustomers(first, orderedAt) : expectedItems(rows, orderedAt);
    },
  };
}

/** Stock written off appears as an invoice of one row: negative quantity, no price, and no "C" before its number. */
function isWriteOff(rows: RawRow[], first: RawRow): boolean {
  return rows.length === 1 && !first.InvoiceNo.startsWith("C") && first.Quantity.startsWith("-") && /^[0.]*$/.test(first.UnitPrice);
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

function expectedOrder(rows: RawRow[], first: RawRow, orderedAt: string): ExpectedDocument {
  const orderNumber = first.InvoiceNo;
  const customerNumber = customerOf(first);
  return {
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
      billingAddress: countryOf(first),
      lines: rows.map(expectedLine),
    },
  };
}

function expectedLine(row: RawRow, index: number): Record<string, unknown> {
  const code = row.StockCode;
  const kind = lineKinds.get(code) ?? "product";
  return {
    lineNumber: String(index + 1),
    kind,
    sku: kind === "product" ? code : null,
    description: row.Description === "" ? null : trimmed(row.Description),
    quantity: row.Quantity,
    unitPrice: { amount: row.UnitPrice, currency: "GBP" },
    ...(kind === "product" ? {} : { attributes: { code } }),
  };
}

/** The file writes customer numbers as floating point: "17850.0". */
function customerOf(row: RawRow): string | null {
  return trimmedOrNull(row.CustomerID.replace(/\.0$/, ""));
}

function countryOf(row: RawRow): { country: string | null; countryName: string | null } {
  const countryName = trimmedOrNull(row.Country);
  return { country: countryName === null ? null : (countryCodes.get(countryName) ?? null), countryName };
}

function expectedCustomers(row: RawRow, updatedAt: string): ExpectedDocument[] {
  const customerNumber = customerOf(row);
  if (customerNumber === null) return [];
  return [{ key: customerNumber, document: { schemaVersion: 1, customerNumber, ...countryOf(row), isActive: true, updatedAt } }];
}

/** What is sold at a price has a proper name; remarks such as "damages" or "?" stand on rows without one. */
function expectedItems(rows: RawRow[], updatedAt: string): Expectation {
  if (!rows.every((row) => /^-?(0|[1-9]\d*)(\.\d+)?$/.test(row.UnitPrice))) return "rejected";
  return rows
    .filter((row) => Number(row.UnitPrice) > 0 && row.Description !== "" && !lineKinds.has(row.StockCode))
    .map((row) => ({
      key: row.StockCode,
      document: { schemaVersion: 1, sku: row.StockCode, name: trimmed(row.Description), isActive: true, updatedAt },
    }));
}

// The same rules once more, in the language of the integration point and with a table of countries of its own. An expression has a bounded
// number of steps and the longest invoice 1,114 rows, so little is done for each row: what is not as it should be there (blanks around a
// number or a code) is left for the canonical schema to refuse, with its path.
const prelude = String.raw`
  $first := rows[0];
  $orderedAt := $replace($first.InvoiceDate, " ", "T") & offset;
  $exists(problems) ? $error($join(problems, "; "));
  $first.InvoiceNo = "" ? $error("the row names no invoice");
  $kinds := {
    "POST": "shipping", "DOT": "shipping", "C2": "shipping", "D": "discount", "BANK CHARGES": "fee", "AMAZONFEE": "fee", "CRUK": "fee",
    "M": "adjustment", "m": "adjustment", "S": "adjustment", "B": "adjustment"
  };`;

const buyer = String.raw`
  $countries := {
    "Australia": "AU", "Austria": "AT", "Bahrain": "BH", "Belgium": "BE", "Brazil": "BR", "Canada": "CA", "Cyprus": "CY",
    "Czech Republic": "CZ", "Denmark": "DK", "EIRE": "IE", "Finland": "FI", "France": "FR", "Germany": "DE", "Greece": "GR",
    "Hong Kong": "HK", "Iceland": "IS", "Israel": "IL", "Italy": "IT", "Japan": "JP", "Lebanon": "LB", "Lithuania": "LT", "Malta": "MT",
    "Netherlands": "NL", "Norway": "NO", "Poland": "PL", "Portugal": "PT", "RSA": "ZA", "Saudi Arabia": "SA", "Singapore": "SG",
    "Spain": "ES", "Sweden": "SE", "Switzerland": "CH", "USA": "US", "United Arab Emirates": "AE", "United Kingdom": "GB"
  };
  $countryName := $trim($first.Country);
  $code := $lookup($countries, $countryName);
  $country := { "country": $exists($code) ? $code : null, "countryName": $countryName = "" ? null : $countryName };
  $float := $first.CustomerID;
  $customerNumber := $trim($substring($float, -2) = ".0" ? $substring($float, 0, $length($float) - 2) : $float);`;

const translations = {
  order: String.raw`(${prelude}${buyer}
  $isCancellation := $substring($first.InvoiceNo, 0, 1) = "C";
  $isNegative := $substring($first.Quantity, 0, 1) = "-";
  $isFree := $replace($replace($first.UnitPrice, "0", ""), ".", "") = "";
  $count(rows) = 1 and $not($isCancellation) and $isNegative and $isFree
    ? $error("not an order: stock written off (negative quantity, no price)");
  {
    "orderNumber": $first.InvoiceNo,
    "kind": $isCancellation ? "cancellation" : "sale",
    "status": $isCancellation ? "cancelled" : "completed",
    "orderedAt": $orderedAt,
    "updatedAt": $orderedAt,
    "currency": "GBP",
    "customer": $customerNumber = "" ? null : { "customerNumber": $customerNumber },
    "billingAddress": $country,
    "lines": [rows#$index.(
      $exists($kind := $lookup($kinds, StockCode)) ? {
        "lineNumber": $string($index + 1),
        "kind": $kind,
        "sku": null,
        "description": Description = "" ? null : $trim(Description),
        "quantity": Quantity,
        "unitPrice": { "amount": UnitPrice, "currency": "GBP" },
        "attributes": { "code": StockCode }
      } : {
        "lineNumber": $string($index + 1),
        "sku": StockCode,
        "description": Description = "" ? null : $trim(Description),
        "quantity": Quantity,
        "unitPrice": { "amount": UnitPrice, "currency": "GBP" }
      }
    )]
  }
)`,
  customer: String.raw`(${prelude}${buyer}
  $customerNumber = "" ? [] : $merge([$country, { "customerNumber": $customerNumber, "updatedAt": $orderedAt }])
)`,
  item: String.raw`(${prelude}
  $codes := $keys($kinds);
  rows[$number(UnitPrice) > 0 and Description != "" and $not(StockCode in $codes)].{
    "sku": StockCode, "name": $trim(Description), "updatedAt": $orderedAt
  }
)`,
};
