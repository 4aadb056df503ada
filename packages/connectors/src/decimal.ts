/** Exact arithmetic on decimal text, by whole numbers of the smallest place. Input must be canonical, as `toDecimal` gives it. */
export function addDecimals(...values: string[]): string {
  const places = Math.max(0, ...values.map(placesOf));
  return print(
    values.reduce((sum, value) => sum + scaled(value, places), 0n),
    places,
  );
}

export function subtractDecimals(a: string, b: string): string {
  return addDecimals(a, negateDecimal(b));
}

export function multiplyDecimals(a: string, b: string): string {
  return print(scaled(a, placesOf(a)) * scaled(b, placesOf(b)), placesOf(a) + placesOf(b));
}

/** Rounded to so many places, halves away from zero. `b` may not be zero. */
export function divideDecimals(a: string, b: string, places: number): string {
  const shift = Math.max(placesOf(a), placesOf(b));
  const [dividend, divisor] = [scaled(a, shift) * 10n ** BigInt(places), scaled(b, shift)];
  const isBelowZero = dividend < 0n !== divisor < 0n;
  const [upper, lower] = [dividend < 0n ? -dividend : dividend, divisor < 0n ? -divisor : divisor];
  const rounded = (2n * upper + lower) / (2n * lower);
  return print(isBelowZero ? -rounded : rounded, places);
}

/** Parts of a whole by weight, each in whole units of the last place: what has been given so far is rounded, so that they add up to it. */
export function splitDecimal(whole: string, weights: readonly string[], places: number): string[] {
  const weight = addDecimals(...weights);
  let [reached, given] = ["0", "0"];
  return weights.map((each) => {
    reached = addDecimals(reached, each);
    const now = divideDecimals(multiplyDecimals(whole, reached), weight, places);
    const part = subtractDecimals(now, given);
    given = now;
    return part;
  });
}

export function negateDecimal(value: string): string {
  if (isZero(value)) return value;
  return value.startsWith("-") ? value.slice(1) : `-${value}`;
}

export function absolute(value: string): string {
  return isNegative(value) ? negateDecimal(value) : value;
}

/** As many places as a canonical decimal may have: systems that compute in binary fractions write 3.3000000000000003 for 3.3. */
export function inNinePlaces(value: string): string {
  return placesOf(value) > 9 ? divideDecimals(value, "1", 9) : value;
}

export function isZero(value: string): boolean {
  return !/[1-9]/.test(value);
}

export function isNegative(value: string): boolean {
  return value.startsWith("-") && !isZero(value);
}

/** A decimal that has no fraction as a number, or null. Beyond 2^53 it has none either. */
export function toWholeNumber(value: string): number | null {
  const whole = /^(-?[0-9]+)(?:\.0+)?$/.exec(value)?.[1];
  return whole !== undefined && Number.isSafeInteger(Number(whole)) ? Number(whole) : null;
}

export function placesOf(value: string): number {
  const point = value.indexOf(".");
  return point < 0 ? 0 : value.length - point - 1;
}

function scaled(value: string, places: number): bigint {
  return BigInt(value.replace(".", "") + "0".repeat(places - placesOf(value)));
}

function print(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, "0");
  const point = digits.length - places;
  return `${value < 0n ? "-" : ""}${digits.slice(0, point)}${places === 0 ? "" : `.${digits.slice(point)}`}`;
}
