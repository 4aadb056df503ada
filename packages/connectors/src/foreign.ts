import { Attributes, reasons } from "@crossdock/contract";
import { z } from "zod";
import { inNinePlaces } from "./decimal.ts";
import { toDecimal } from "./json.ts";

/** Values as foreign systems write them. Each reads what is absent, null or blank as null. */
export const Text = z.union([z.string(), z.number(), z.boolean()]).nullish().transform(textOf);
export const Amount = z
  .union([z.string(), z.number()])
  .nullish()
  .transform((value, context) => {
    if (textOf(value) === null) return null;
    const decimal = toAmount(value);
    if (decimal !== null) return decimal;
    // Taken for absent it would be none: an order's line for nothing.
    context.addIssue({ code: "custom", message: reasons["decimal-number"] });
    return z.NEVER;
  });

export function toAmount(value: unknown): string | null {
  const decimal = toDecimal(value);
  return decimal === null ? null : inNinePlaces(decimal);
}

/** A quantity or a price without which a message can't be used. */
export const NeededAmount = Amount.pipe(z.string());

/** A name of something; a message without it can't be used. */
export const Id = z.union([z.string().min(1), z.int()]).transform(String);

function textOf(value: string | number | boolean | null | undefined): string | null {
  const text = value == null ? "" : String(value).trim();
  return text === "" ? null : text;
}

const faultsMax = 50;

/**
 * A list of a payload. It is looked at no further when so much is wrong with it that its message is refused: an array of zod's collects each
 * fault, of which a payload can have millions.
 */
export function listOf<Item extends z.ZodType>(item: Item) {
  return z.array(z.unknown()).transform((values, context) => {
    const list: z.output<Item>[] = [];
    let faults = 0;
    for (const [index, value] of values.entries()) {
      const read = item.safeParse(value);
      if (read.success) list.push(read.data);
      else for (const issue of read.error.issues) context.addIssue({ ...issue, path: [index, ...issue.path] });
      faults += read.error?.issues.length ?? 0;
      if (faults >= faultsMax) break;
    }
    return list;
  });
}

/** Times without a zone are UTC in the systems that write them so: "2026-11-21 08:30:00". Null where it is no time. */
export function utcTime(value: string | null | undefined): string | null {
  const [, day, clock] = /^(\d{4}-\d{2}-\d{2})[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)/.exec(value ?? "") ?? [];
  if (day === undefined || clock === undefined) return null;
  const [, hours, minutes = "00"] = /([+-]\d{2})(?::?(\d{2}))?$/.exec((value ?? "").slice(day.length)) ?? [];
  return `${day}T${clock}${hours === undefined ? "Z" : `${hours}:${minutes}`}`;
}

/** Seconds since 1970 as a time in UTC; null beyond what a date can be. */
export function unixTime(seconds: number): string | null {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

export function money(amount: string | null, currency: string): { amount: string; currency: string } | null {
  return amount === null ? null : { amount, currency };
}

/**
 * What buyers chose or wrote under names of the shop's making, as attributes. The prefix keeps them from being taken for what connectors write
 * there. What an attribute can't hold, such as a drawing in a text of a megabyte, stays behind.
 */
export function namedValues(prefix: string, entries: readonly { name: string; value: unknown }[]): Record<string, string> | undefined {
  const held = entries
    .map(({ name, value }) => ({ name: name.trim(), value: asText(value).trim() }))
    .filter(({ name, value }) => name !== "" && value !== "")
    .map(({ name, value }) => ({ [`${prefix}:${name}`]: value }))
    .filter((attribute) => Attributes.safeParse(attribute).success);
  return held.length === 0 ? undefined : Object.assign({}, ...held);
}

export function joinedAttributes<Value>(...parts: (Record<string, Value> | undefined)[]): Record<string, Value> | undefined {
  return parts.every((part) => part === undefined) ? undefined : Object.assign({}, ...parts);
}

/** A text or number as text; anything else, which has no business there, as nothing. */
export function asText(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

/** Two-letter codes as they are; anything else is kept as the country's name. */
export function country(value: string | null): { country: string | null; countryName: string | null } {
  const isCode = value !== null && /^[A-Za-z]{2}$/.test(value);
  return isCode ? { country: value.toUpperCase(), countryName: null } : { country: null, countryName: value };
}

export function joined(...parts: (string | null | undefined)[]): string | null {
  const text = parts.filter((part) => part != null && part !== "").join(" ");
  return text === "" ? null : text;
}

/** First names and last name of a full name; the last word is taken for the last name. */
export function splitName(name: string | null | undefined): { first: string; last: string } {
  const words = (name ?? "").trim().split(/\s+/);
  return { first: words.slice(0, -1).join(" "), last: words.at(-1) ?? "" };
}
