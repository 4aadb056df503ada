/** Characters of one part: with every one of them escaped, a body stays below what the server takes. */
const partSize = 120_000;

/** The next part of what has been read of a file; null while it is less than one. No character is cut in two: the server takes no half of one. */
export function nextPart(rest: string): string | null {
  return rest.length < partSize ? null : rest.slice(0, partSize).replace(/[\uD800-\uDBFF]$/, "");
}
