/**
 * What a substring search looks at: the key and the document's values, in lower case, without JSON's names and punctuation. Each value stands once:
 * the lines of an order say much the same, and the cost of indexing a text grows with its length.
 */
export function searchTextOf(key: string, document: string): string {
  const values = new Set([key]);
  collectValues(parseLeniently(document), values);
  return [...values].join("\n").toLowerCase().replaceAll("\0", "");
}

/** A document that is no JSON is searched as it stands. */
function parseLeniently(document: string): unknown {
  try {
    return JSON.parse(document);
  } catch {
    return document;
  }
}

function collectValues(value: unknown, into: Set<string>): void {
  if (typeof value === "string") into.add(value);
  else if (typeof value === "number") into.add(String(value));
  else if (typeof value === "object" && value !== null) for (const inner of Object.values(value)) collectValues(inner, into);
}
