import type { Customer } from "@crossdock/contract";

type CustomerAddress = NonNullable<Customer["addresses"]>[number];

/** A customer's addresses, the one that is used unless another is chosen before the others. */
export function defaultFirst(addresses: Customer["addresses"]): CustomerAddress[] {
  return (addresses ?? []).toSorted((a, b) => Number(b.isDefault === true) - Number(a.isDefault === true));
}
