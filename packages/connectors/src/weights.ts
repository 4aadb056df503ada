/** Grams of one unit. */
const grams = { g: 1, kg: 1_000, oz: 28.349523125, lb: 453.59237 } as const;
type WeightUnit = keyof typeof grams;

/** A weight in another unit, to six places: none of the systems keeps more. */
export function convertWeight({ value, unit }: { value: string; unit: WeightUnit }, to: WeightUnit): number {
  return unit === to ? Number(value) : Math.round((Number(value) * grams[unit] * 1e6) / grams[to]) / 1e6;
}
