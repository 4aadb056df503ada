/** Above every character that PostgreSQL knows. */
const afterAll = "\u{10FFFF}";

/** Keys or ids that begin with the prefix are from the first on and below the second. LIKE would use no index under row-level security. */
export function keyRange(prefix: string | null = null): [string, string] | [null, null] {
  return prefix === null ? [null, null] : [prefix, `${prefix}${afterAll}`];
}
