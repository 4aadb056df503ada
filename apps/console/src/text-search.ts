/** The query part of an address as plain texts: `?key=10023` stays readable, where JSON values would be quoted and escaped. */
export type TextSearch = Record<string, string | undefined>;

export function parseTextSearch(search: string): TextSearch {
  return Object.fromEntries(new URLSearchParams(search));
}

/** Leaves out what is empty, so that defaults don't show in the address. */
export function writeTextSearch(search: Record<string, unknown>): string {
  const given = Object.entries(search).filter((pair): pair is [string, string] => typeof pair[1] === "string" && pair[1] !== "");
  const text = new URLSearchParams(given).toString();
  return text === "" ? "" : `?${text}`;
}

/**
 * Takes the named texts out of an address. Everything else is told to be none: beside what is taken, a screen would have it from the router as it
 * stands there, and take it for a filter.
 */
export function pickTexts<Name extends string>(search: Record<string, unknown>, names: readonly Name[]): { [name in Name]?: string } {
  const others = Object.fromEntries(Object.keys(search).map((name) => [name, undefined]));
  const picked: { [name in Name]?: string } = {};
  for (const name of names) {
    const value = search[name];
    if (typeof value === "string" && value !== "") picked[name] = value;
  }
  return { ...others, ...picked };
}
