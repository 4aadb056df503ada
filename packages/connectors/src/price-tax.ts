import type { Price } from "@crossdock/contract";
import { type Dead, dead } from "./connector.ts";
import { addDecimals, divideDecimals, multiplyDecimals } from "./decimal.ts";
import { placesOfCurrency } from "./minor-units.ts";

type Reading = "net" | "gross";

export type PriceReading = "as-they-come" | "with-tax" | "without-tax";

/** The price, its ordinary price and its tiers as the shop wants them; refused where no rate tells how to get there. */
export function priceAs(reading: PriceReading, price: Price): Price | Dead {
  if (reading === "as-they-come") return price;
  const isGross = reading === "with-tax";
  const turned = priceIn(isGross ? "gross" : "net", price);
  const turnedTiers = (price.tiers ?? []).map((tier) => priceIn(isGross ? "gross" : "net", { ...price, price: tier.price }));
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
 * where they are in the other reading and no rate tells how to get there.
 */
export function priceIn(reading: Reading, price: Price): { amount: string; compareAt: string | null } | null {
  const compareAt = price.compareAtPrice?.amount ?? null;
  const isRight = price.includesTax == null || price.includesTax === (reading === "gross");
  if (isRight) return { amount: price.price.amount, compareAt };
  const rate = price.taxRatePercent;
  if (rate == null) return null;
  const [part, whole] = reading === "net" ? ["100", addDecimals("100", rate)] : [addDecimals("100", rate), "100"];
  const turned = (amount: string) => divideDecimals(multiplyDecimals(amount, part), whole, placesOfCurrency(price.price.currency));
  return { amount: turned(price.price.amount), compareAt: compareAt === null ? null : turned(compareAt) };
}
