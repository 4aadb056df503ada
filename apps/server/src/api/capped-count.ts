import type { CappedCount } from "@crossdock/contract";

/** Up to here counts are exact, as the API's description says. */
export const countMax = 10_000;

/** Of rows that were counted up to `countMax + 1`. */
export const capped = (count: number): CappedCount => ({ count: Math.min(count, countMax), isExact: count <= countMax });
