import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { readDelimited, type Row } from "./delimited.ts";
import { groupRows, type Group } from "./group-rows.ts";
import { fileBytes, readLines } from "./lines.ts";
import { trimmed, trimmedOrNull, type Expectation, type Source, type SourceMessage } from "./source.ts";

const columns = ["ProductID", "LocationID", "Shelf", "Bin", "Quantity", "rowguid", "ModifiedDate"] as const;
type RawRow = Record<(typeof columns)[number], string>;

/**
 * Stock of the sample database AdventureWorks: ProductInventory, tab-separated and without a header, one row per bin.
 * Product.csv beside it gives the article numbers. One raw message is one product at one location, with all its bins.
 */
export async function adventureWorks(path: string): Promise<Source> {
  const productFile = ["Product.csv", "Product.csv.gz"].map((name) => join(dirname(path), name)).find((file) => existsSync(file));
  if (!productFile) throw new Error(`Product.csv, which gives the article numbers, is missing beside ${path}`);
  const articleNumbers = await readArticleNumbers(productFile);
  return {
    name: "AdventureWorks stock",
    code: "adventure-works",
    entityTypes: ["stock"],
    translations: { stock: translation },
    messages: async function* () {
      for await (const group of groupRows(() => readTable(path, columns.length), placeOf)) yield toMessage(group, articleNumbers);
    },
  };
}

function readTable(path: string, width: number): AsyncIterable<Row> {
  return readDelimited(readLines(fileBytes(path)), { separator: "\t", columns: width });
}

async function readArticleNumbers(path: string): Promise<Map<string, string>> {
  const numbers = new Map<string, string>();
  for await (const row of readTable(path, 25)) {
    const [id, , number] = row.fields;
    const article = trimmedOrNull(number);
    if (id !== undefined && article !== null) numbers.set(trimmed(id), article);
  }
  return numbers;
}

/** Rows that name no product or no location stand alone, so that each is reported for itself. */
function placeOf(row: Row): string {
  const product = trimmedOrNull(row.fields[0]);
  const location = trimmedOrNull(row.fields[1]);
  return product === null || location === null ? `(none, line ${row.line})` : `${product} at ${location}`;
}

function toMessage(group: Group, articleNumbers: Map<string, string>): SourceMessage {
  const problems = group.rows.flatMap((row) => (row.problem === null ? [] : [row.problem]));
  const rows = group.rows.map((row) => Object.fromEntries(columns.map((name, index) => [name, row.fields[index] ?? ""])) as RawRow);
  const articleNumber = articleNumbers.get(trimmed(rows[0]?.ProductID)) ?? null;
  return {
    label: `product ${group.key}`,
    json: JSON.stringify({ articleNumber, rows, ...(problems.length > 0 ? { problems } : {}) }),
    expected: () => (problems.length > 0 || articleNumber === null ? "rejected" : expectedDocuments(articleNumber, rows)),
  };
}

function expectedDocuments(sku: string, rows: RawRow[]): Expectation {
  const warehouse = trimmed(rows[0]?.LocationID);
  if (!rows.every((row) => Number.isInteger(Number(row.Quantity)) && String(Number(row.Quantity)) === trimmed(row.Quantity)))
    return "rejected";
  const newest =
    rows
      .map((row) => trimmed(row.ModifiedDate))
      .toSorted()
      .at(-1) ?? "";
  return [
    {
      key: `${sku}@${warehouse}`,
      document: {
        schemaVersion: 1,
        sku,
        warehouse,
        quantity: String(rows.reduce((sum, row) => sum + Number(row.Quantity), 0)),
        attributes: { bins: rows.map((row) => `${trimmed(row.Shelf)}/${trimmed(row.Bin)}`) },
        updatedAt: `${newest.replaceAll(" ", "T")}Z`,
      },
    },
  ];
}

const translation = String.raw`(
  $exists(problems) ? $error($join(problems, "; "));
  articleNumber = null ? $error("product " & rows[0].ProductID & " is not in the product list");
  $quantity := function($text) { ($n := $number($text); $string($n) = $text and $n = $floor($n) ? $n : $error("a quantity is no whole number")) };
  {
    "sku": articleNumber,
    "warehouse": $trim(rows[0].LocationID),
    "quantity": $string($sum(rows.$quantity($trim(Quantity)))),
    "attributes": { "bins": [rows.($trim(Shelf) & "/" & $trim(Bin))] },
    "updatedAt": $replace($sort(rows.$trim(ModifiedDate))[-1], " ", "T") & "Z"
  }
)`;
