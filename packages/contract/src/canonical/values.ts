import { z } from "zod";
import { reasons } from "../reasons.ts";

/**
 * Text without NUL and without half surrogate pairs: PostgreSQL stores neither, and a document that can't be stored must be
 * refused with a path and a reason, not fail later. What is wrong with it besides is not told.
 */
export function text(maxLength: number) {
  return unbroken(z.string().max(maxLength));
}

/** An address is one with broken characters, too. */
export function unbroken<Text extends z.ZodType<string>>(schema: Text) {
  return schema.refine((value) => !value.includes("\u0000") && value.isWellFormed(), { error: reasons["text-broken"], abort: true });
}

function name(maxLength: number) {
  return text(maxLength).regex(/^\S(?:.*\S)?$/su, { error: reasons["key-form"], abort: true });
}

/**
 * Without characters by which what looks the same is something else: control characters, and at the ends what only says how to show the text, such as a space
 * without width that was copied along. Within a text that may be needed to write it.
 */
export const visible = /^(?:[^\p{Cc}\p{Cf}](?:\P{Cc}*[^\p{Cc}\p{Cf}])?)?$/u;

/** Identifies something in its own system: compared exactly, letter case included, since real catalogues hold both 85231G and 85231g. */
export const Key = name(200).regex(visible, reasons["characters-unseen"]);

/** Names a price list or a warehouse. It can't contain '@', which separates it from the sku in a business key. */
export const PlaceCode = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}$/, reasons["place-form"]);

/** An exact decimal number as text, e.g. "-12.50". Never a JSON number: binary fractions change amounts. */
export const Decimal = z.string().regex(/^-?(?:0|[1-9][0-9]{0,17})(?:\.[0-9]{1,9})?$/, reasons["decimal-form"]);

// What is no currency is told for that alone, not also for being another one than the document's.
const Currency = z.string().regex(/^[A-Z]{3}$/, { error: reasons["currency-form"], abort: true });

/** An amount and its currency (ISO 4217). */
export const Money = z.strictObject({ amount: Decimal, currency: Currency });
export type Money = z.infer<typeof Money>;

/** An amount that a document may have, with its place in it. */
export type Placed = [path: PropertyKey[], money: Money | null | undefined];

/** A fault for each amount in another currency than the document's: they are added up, compared and written as bare numbers. */
export function checkCurrency(currency: string, amounts: Iterable<Placed>, context: z.RefinementCtx): void {
  for (const [path, money] of amounts)
    if (money != null && money.currency !== currency)
      context.addIssue({ code: "custom", message: reasons["currency-mixed"], path: [...path, "currency"] });
}

/** ISO 8601 with a zone, e.g. 2026-11-02T08:30:00+01:00. */
export const ZonedTime = z.iso.datetime({ offset: true, error: reasons["time-form"] }).regex(/^(?!0000)/, reasons["time-form"]);

/** Of a document or one of its lines. Shopify has 250 metafields; catalogues that people keep have some hundreds of fields. */
const attributesMax = 1_000;

/**
 * What has no field of its own. Numbers that must stay exact go in as text. Too many are counted before any is read: zod collects each fault. The one name
 * that zod leaves out without a word is refused.
 */
export const Attributes = z.preprocess(
  (value, context) => {
    if (typeof value !== "object" || value === null) return value;
    if (Object.keys(value).length > attributesMax)
      context.addIssue({ code: "too_big", origin: "map", maximum: attributesMax, inclusive: true, input: value });
    if (Object.hasOwn(value, "__proto__")) context.addIssue({ code: "unrecognized_keys", keys: ["__proto__"], input: { ...value } });
    return value;
  },
  z
    .record(name(100), z.union([text(10_000), z.number(), z.boolean(), z.null(), z.array(text(1_000)).max(200)]))
    .meta({ maxProperties: attributesMax }),
);

/** Of a document, each entry of a list and each member of an object: twenty for each of an order's lines, of which there may be 5,000. */
const valuesMax = 100_000;

/** A document that is refused at once where it has too many values: what is wrong with each would hold the process for seconds. */
export function bounded<Document extends z.ZodType>(document: Document) {
  return z.preprocess((value, context) => {
    if (roomBeside(value, valuesMax) < 0) context.addIssue({ code: "custom", message: reasons["values-max"], input: value });
    return value;
  }, document);
}

/** What a value leaves of so much room; it is looked at no further than that. */
function roomBeside(value: unknown, room: number): number {
  if (typeof value !== "object" || value === null) return room;
  let left = room - (Array.isArray(value) ? value : Object.keys(value)).length;
  if (left < 0) return left;
  for (const each of Object.values(value)) {
    left = roomBeside(each, left);
    if (left < 0) break;
  }
  return left;
}

/** Country is the two-letter code where the source knows it; countryName keeps what the source says ("EIRE", "Unspecified"). */
export const Address = z.strictObject({
  name: text(300).nullish(),
  company: text(300).nullish(),
  street: z.array(text(300)).max(5).nullish(),
  postalCode: text(50).nullish(),
  city: text(200).nullish(),
  region: text(200).nullish(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, reasons["country-form"])
    .nullish(),
  countryName: text(200).nullish(),
  phone: text(100).nullish(),
});
export type Address = z.infer<typeof Address>;

/** The version of all canonical schemas. It grows when a change would make stored documents invalid. */
export const SchemaVersion = z.literal(1).default(1);
