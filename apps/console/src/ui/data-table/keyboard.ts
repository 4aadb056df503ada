/** The row that a key leads to from another one; null for a key that moves nowhere. */
export function rowAfterKey(
  key: string,
  from: number,
  { first, last, perPage }: { first: number; last: number; perPage: number },
): number | null {
  const clamp = (index: number) => Math.min(last, Math.max(first, index));
  switch (key) {
    case "ArrowDown":
      return clamp(from + 1);
    case "ArrowUp":
      return clamp(from - 1);
    case "PageDown":
      return clamp(from + perPage);
    case "PageUp":
      return clamp(from - perPage);
    case "Home":
      return first;
    case "End":
      return last;
    default:
      return null;
  }
}

/** The indexes from one row to another, both included, whichever comes first. */
export function rangeOf(one: number, other: number): number[] {
  const from = Math.min(one, other);
  return Array.from({ length: Math.abs(one - other) + 1 }, (_, offset) => from + offset);
}
