import type { Address } from "./payloads.ts";

/** Shopify writes "nothing" as null and as "". */
export function textOrNull(value: string | null | undefined): string | null {
  return value == null || value.trim() === "" ? null : value;
}

/** Tags are one comma-separated text, in requests also a list. Null where the message doesn't tell them, as webhooks of customers since 2025-01. */
export function tagsOf(tags: string | string[] | null | undefined): string[] | null {
  if (tags == null) return null;
  const list = Array.isArray(tags) ? tags : tags.split(",");
  return list.map((tag) => tag.trim()).filter((tag) => tag !== "");
}

/** Order names are "#1001"; the shop's own prefix stays, the number sign goes. */
export function withoutNumberSign(name: string): string {
  return name.replace(/^#(?=.)/, "");
}

export function nameOf(first: string | null | undefined, last: string | null | undefined): string | null {
  return textOrNull([first, last].filter((part) => textOrNull(part) !== null).join(" "));
}

export function addressOf(address: Address | null | undefined) {
  if (address == null) return null;
  return {
    name: textOrNull(address.name) ?? nameOf(address.first_name, address.last_name),
    company: textOrNull(address.company),
    street: [address.address1, address.address2].flatMap((line) => textOrNull(line) ?? []),
    postalCode: textOrNull(address.zip),
    city: textOrNull(address.city),
    region: textOrNull(address.province),
    country: textOrNull(address.country_code?.toUpperCase()),
    countryName: textOrNull(address.country),
    phone: textOrNull(address.phone),
  };
}
