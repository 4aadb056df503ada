import type { Address } from "@crossdock/contract";

/** Shopify wants first and last name apart; the last word is taken for the last name. */
export function addressForShop(address: Address | null | undefined): Record<string, unknown> | null {
  if (address == null) return null;
  const words = (address.name ?? "").trim().split(/\s+/);
  return {
    first_name: words.slice(0, -1).join(" "),
    last_name: words.at(-1) ?? "",
    company: address.company ?? null,
    address1: address.street?.[0] ?? null,
    address2: address.street?.slice(1).join(", ") ?? null,
    zip: address.postalCode ?? null,
    city: address.city ?? null,
    province: address.region ?? null,
    country: address.country ?? address.countryName ?? null,
    phone: address.phone ?? null,
  };
}
