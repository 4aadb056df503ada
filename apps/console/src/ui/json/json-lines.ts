/**
 * The line, from 1, on which each value of a JSON text begins, by its path (`lines.0.quantity`; the whole document: an empty one).
 * The text must be JSON; of any other it is what was understood until the fault.
 */
export function linesOfPaths(text: string): Map<string, number> {
  const lines = new Map<string, number>();
  const open: { path: string; isList: boolean; index: number; name: string | null }[] = [];
  let line = 1;
  const tokens = /"(?:[^"\\\n]|\\.)*"|[{}[\],:\n]|[^\s{}[\],:"]+/g;
  for (const [token] of text.matchAll(tokens)) {
    const inside = open.at(-1);
    if (token === "\n") line += 1;
    else if (token === "}" || token === "]") open.pop();
    else if (token === ",") Object.assign(inside ?? {}, { index: (inside?.index ?? 0) + 1, name: null });
    else if (inside && !inside.isList && inside.name === null) inside.name = nameOf(token);
    else if (token !== ":") {
      const path = inside ? join(inside.path, inside.isList ? String(inside.index) : (inside.name ?? "")) : "";
      lines.set(path, line);
      if (token === "{" || token === "[") open.push({ path, isList: token === "[", index: 0, name: null });
    }
  }
  return lines;
}

const join = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`);

function nameOf(token: string): string {
  try {
    return String(JSON.parse(token));
  } catch {
    return token;
  }
}

/** The line of a path, or of the nearest value around it: a missing field is its object's fault. */
export function lineOf(lines: ReadonlyMap<string, number>, path: string): number {
  const known = lines.get(path);
  if (known !== undefined) return known;
  return path === "" ? 1 : lineOf(lines, path.includes(".") ? path.slice(0, path.lastIndexOf(".")) : "");
}
