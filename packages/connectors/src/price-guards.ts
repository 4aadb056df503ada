import type { Price } from "@crossdock/contract";
import { type Dead, type Retry, dead } from "./connector.ts";
import { isNegative, subtractDecimals } from "./decimal.ts";

/** Systems that must name an end write one that nobody will see: 2099-12-31, 9999-12-31. */
const foreverMs = 10 * 365 * 86_400_000;

/**
 * Why a price can't be written to a system that has no place for a period: an end would never come there, so the price would stay. One that
 * is still to begin waits until it does; one that has begun and has no end is a price like any other. Without a clock none can be told.
 */
export function periodFault({ validFrom, validTo }: Price, now: Date | undefined): Dead | Retry | null {
  if (validFrom == null && validTo == null) return null;
  const at = now?.getTime() ?? Number.NaN;
  const hasEnd = validTo != null && !(Date.parse(validTo) - at > foreverMs);
  if (hasEnd) return dead("period", `the price ends at ${validTo}, and this system has no place for an end: it would stay`);
  const waitMs = validFrom == null ? 0 : Date.parse(validFrom) - at;
  if (Number.isNaN(waitMs)) return dead("period", "this system has no place for the time from which a price holds");
  if (waitMs <= 0) return null;
  return {
    kind: "retry",
    error: { class: "period", message: `the price begins at ${validFrom}: it is written then` },
    retryAfterMs: waitMs,
    isTargetFault: false,
  };
}

/** A system that writes a bare number would take it for its own currency. */
export function foreignCurrency({ price }: Price, own: string): Dead | null {
  return price.currency === own.toUpperCase() ? null : dead("currency", `the shop's currency is ${own}, the price is in ${price.currency}`);
}

/** Shops keep "0.00" where no price is reduced. Written as the ordinary price, it would be what the goods are sold for. */
export function isReduced(amount: string, ordinaryAmount: string): boolean {
  return isNegative(subtractDecimals(amount, ordinaryAmount));
}
