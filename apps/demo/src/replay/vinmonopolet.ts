import { z } from "zod";
import { readJsonArray, type Element } from "./json-array.ts";
import { fileBytes } from "./lines.ts";
import { trimmedOrNull, type ExpectedDocument, type Source, type SourceMessage } from "./source.ts";

const Wine = z.looseObject({
  Varenummer: z.number(),
  Varenavn: z.string().nullish(),
  Pris: z.number().nullish(),
  Varetype: z.array(z.string()).nullish(),
});

/** Attributes of the item by the names of the file. Numbers become text, so that they stay exact. */
const attributeNames = {
  Volum: "volumeLitres",
  Literpris: "pricePerLitre",
  Land: "country",
  Underdistrikt: "district",
  Argang: "vintage",
  Rastoff: "grapes",
  Farge: "colour",
  Lukt: "smell",
  Smak: "taste",
  Alkohol: "alcoholPercent",
};

/** The catalogue of the Norwegian wine monopoly: a JSON array with one object per product. Each becomes an item and its price. */
export function vinmonopolet(path: string): Source {
  return {
    name: "Vinmonopolet catalogue",
    code: "vinmonopolet",
    entityTypes: ["item", "price"],
    translations,
    messages: async function* () {
      for await (const element of readJsonArray(fileBytes(path))) yield toMessage(element);
    },
  };
}

function toMessage(element: Element): SourceMessage {
  const parsed = element.problem === null ? parse(element.text) : { problem: element.problem };
  if ("problem" in parsed) {
    const json = JSON.stringify({ problems: [parsed.problem], raw: element.text.replaceAll("\0", "␀").slice(0, 2000) });
    return { label: `element ${element.number}`, json, expected: () => "rejected" };
  }
  const wine = Wine.safeParse(parsed.value);
  // What stands in the file is posted as it stands, on one line.
  const json = JSON.stringify(parsed.value);
  const expected: SourceMessage["expected"] = (entityType) => {
    if (!wine.success) return "rejected";
    return entityType === "item" ? expectedItem(wine.data) : expectedPrice(wine.data);
  };
  return { label: `element ${element.number}`, json, expected };
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function expectedItem(wine: z.infer<typeof Wine>): ExpectedDocument[] | "rejected" {
  const sku = String(wine.Varenummer);
  const name = trimmedOrNull(wine.Varenavn ?? "");
  if (name === null) return "rejected";
  const attributes = Object.entries(attributeNames).flatMap(([own, ours]) => (own in wine ? [[ours, asAttribute(wine[own])]] : []));
  const document = {
    schemaVersion: 1,
    sku,
    name,
    categories: wine.Varetype ?? [],
    attributes: Object.fromEntries(attributes),
    isActive: true,
  };
  return [{ key: sku, document }];
}

function expectedPrice(wine: z.infer<typeof Wine>): ExpectedDocument[] | "rejected" {
  if (wine.Pris === null || wine.Pris === undefined) return "rejected";
  const sku = String(wine.Varenummer);
  const price = { amount: String(wine.Pris), currency: "NOK" };
  return [{ key: `${sku}@default`, document: { schemaVersion: 1, sku, priceList: "default", price, includesTax: true } }];
}

function asAttribute(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

const prelude = String.raw`
  $exists(problems) ? $error($join(problems, "; "));
  $type(Varenummer) != "number" ? $error("Varenummer is not a number");`;

const translations = {
  item: String.raw`(${prelude}
  $row := $;
  $asText := function($value) { $type($value) = "number" ? $string($value) : $value };
  $type(Varenavn) != "string" ? $error("the product has no name");
  $trim(Varenavn) = "" ? $error("the product has no name") : {
    "sku": $string(Varenummer),
    "name": $trim(Varenavn),
    "categories": [Varetype[$ != null]],
    "attributes": {
      ${Object.entries(attributeNames)
        .map(([own, ours]) => `"${ours}": $asText($row.${own})`)
        .join(",\n      ")}
    }
  }
)`,
  price: String.raw`(${prelude}
  $type(Pris) != "number" ? $error("the product has no price") : {
    "sku": $string(Varenummer), "priceList": "default", "price": { "amount": $string(Pris), "currency": "NOK" }, "includesTax": true
  }
)`,
};
