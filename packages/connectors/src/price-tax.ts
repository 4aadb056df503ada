import type { Price } from "@crossdock/contract";
import { type Dead, dead } from "./connector.ts";
import { addDecimals, divideDecimals, multiplyDecimals } from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";
import { isReduced } from "./price-guards.ts";

type Reading = "net" | "gross";

export type PriceReading = "as-they-come" | "with-tax" | "without-tax";

/**
 * The price, its tiers and its ordinary price, if that is above it, as the shop wants them; refused where no rate tells how to get there.
 * `netPlaces` as below.
 */
export function priceAs(reading: PriceReading, given: Price, netPlaces?: number): Price | Dead {
  const { price: own, compareAtPrice } = given;
  const price = compareAtPrice == null || isReduced(own.amount, compareAtPrice.amount) ? given : { ...given, compareAtPrice: null };
  if (reading === "as-they-come") return price;
  const isGross = reading === "with-tax";
  const turn = (own: Price) => priceIn(isGross ? "gross" : "net", own, netPlaces);
  const turned = turn(price);
  const turnedTiers = (price.tiers ?? []).map((tier) => turn({ ...price, price: tier.price }));
  if (turned === null) {
    const [has, wants] = isGross ? ["excludes", "with"] : ["includes", "without"];
    return dead("tax", `the shop takes prices ${wants} tax; this one ${has} it and doesn't tell its rate`);
  }
  return {
    ...price,
    price: { ...price.price, amount: turned.amount },
    compareAtPrice: price.compareAtPrice && { ...price.compareAtPrice, amount: turned.compareAt ?? price.compareAtPrice.amount },
    includesTax: isGross,
    tiers: price.tiers?.map((tier, index) => ({
      ...tier,
      price: { ...tier.price, amount: turnedTiers[index]?.amount ?? tier.price.amount },
    })),
  };
}

/**
 * A price and its ordinary price as a system wants them, with tax or without. What the source doesn't say of them is taken to be right. Null
 * where they are in the other reading and no rate tells how to get there. `netPlaces`: how many the system keeps of a net price, where that
 * is more than the currency has. Rounded to the currency's, 9.99 with 20 % would be 8.33, of which a shop makes 10.00.
 */
export function priceIn(reading: Reading, price: Price, netPlaces = 0): { amount: string; compareAt: string | null } | null {
  const compareAt = price.compareAtPrice?.amount ?? null;
  const isRight = price.includesTax == null || price.includesTax === (reading === "gross");
  if (isRight) return { amount: price.price.amount, compareAt };
  const rate = price.taxRatePercent;
  if (rate == null) return null;
  const [part, whole] = reading === "net" ? ["100", addDecimals("100", rate)] : [addDecimals("100", rate), "100"];
  const places = Math.max(placesOfCurrency(price.price.currency), reading === "net" ? netPlaces : 0);
  const turned = (amount: string) => divideDecimals(multiplyDecimals(amount, part), whole, places);
  return { amount: turned(price.price.amount), compareAt: compareAt === null ? null : turned(compareAt) };
}
