import type { Customer } from "@crossdock/contract";

type Place = { phone?: unknown; countryName?: unknown };

/** Whether parcels go to one person at one place, however they are written. */
export function isOneAddress(addresses: readonly (Place | null)[]): boolean {
  const texts = addresses.flatMap((address) => {
    if (address === null) return [];
    const { phone: _phone, countryName: _countryName, ...place } = address;
    return JSON.stringify(place).replace(/\s/g, "").toLowerCase();
  });
  return new Set(texts).size <= 1;
}

type CustomerAddress = NonNullable<Customer["addresses"]>[number];

/** A customer's addresses, the one that is used unless another is chosen before the others. */
export function defaultFirst(addresses: Customer["addresses"]): CustomerAddress[] {
  return (addresses ?? []).toSorted((a, b) => Number(b.isDefault === true) - Number(a.isDefault === true));
}
