import { z } from "zod";
import { readJsonArray, type Element } from "./json-array.ts";
import { fileBytes } from "./lines.ts";
import { trimmed, type ExpectedDocument, type Source, type SourceMessage } from "./source.ts";

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
    posts: "item",
    translation,
    messages: async function* () {
      for await (const element of readJsonArray(fileBytes(path))) yield toMessage(element);
    },
  };
}

function toMessage(element: Element): SourceMessage {
  const parsed = element.problem === null ? parse(element.text) : { problem: element.problem };
  if ("problem" in parsed) {
    const json = JSON.stringify({ problems: [parsed.problem], raw: element.text.replaceAll("\0", "␀").slice(0, 2000) });
    return { label: `element ${element.number}`, json, expected: "rejected" };
  }
  const wine = Wine.safeParse(parsed.value);
  // What stands in the file is posted as it stands, on one line.
  const json = JSON.stringify(parsed.value);
  return { label: `element ${element.number}`, json, expected: wine.success ? expectedDocuments(wine.data) : "rejected" };
}

function parse(text: string): { value: unknown } | { problem: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { problem: `not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function expectedDocuments(wine: z.infer<typeof Wine>): ExpectedDocument[] | "rejected" {
  const { Varenavn, Pris } = wine;
  const sku = String(wine.Varenummer);
  const name = trimmed(Varenavn ?? "");
  if (name === null || Pris === null || Pris === undefined) return "rejected";
  const attributes = Object.entries(attributeNames).flatMap(([own, ours]) => (own in wine ? [[ours, asAttribute(wine[own])]] : []));
  return [
    {
      entityType: "item",
      key: sku,
      document: {
        schemaVersion: 1,
        sku,
        name,
        categories: wine.Varetype ?? [],
        attributes: Object.fromEntries(attributes),
        isActive: true,
      },
    },
    {
      entityType: "price",
      key: `${sku}@default`,
      document: { schemaVersion: 1, sku, priceList: "default", price: { amount: String(Pris), currency: "NOK" }, includesTax: true },
    },
  ];
}

function asAttribute(value: unknown): unknown {
  return typeof value === "number" ? String(value) : value;
}

const translation = String.raw`(
  $asText := function($value) { $type($value) = "number" ? $string($value) : $value };
  $trimmed := function($text) { $replace($text, /^\s+|\s+$/, "") };
  $row := $;
  $sku := $string(Varenummer);
  $attributes := {
    ${Object.entries(attributeNames)
      .map(([own, ours]) => `"${ours}": $asText($row.${own})`)
      .join(",\n    ")}
  };
  $exists(problems) ? $error($join(problems, "; ")) :
  $type(Varenummer) != "number" ? $error("Varenummer is not a number") :
  $type(Varenavn) != "string" ? $error("the product has no name") :
  $trimmed(Varenavn) = "" ? $error("the product has no name") :
  $type(Pris) != "number" ? $error("the product has no price") :
  [
    { "entityType": "item", "document": {
      "sku": $sku, "name": $trimmed(Varenavn), "categories": [Varetype[$ != null]], "attributes": $attributes
    } },
    { "entityType": "price", "document": {
      "sku": $sku, "priceList": "default", "price": { "amount": $string(Pris), "currency": "NOK" }, "includesTax": true
    } }
  ]
)`;
