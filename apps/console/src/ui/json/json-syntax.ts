/** A string, a number or word, or a sign, with the blanks before it (https://www.rfc-editor.org/rfc/rfc8259#section-2). */
const token =
  // oxlint-disable-next-line no-control-regex -- Unescaped, they are no part of a JSON string.
  /[ \t\r\n]*(?:("(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|([{}[\],:]))/y;

/** Kinds of token: a sign as it is, s for a string, v for another value without parts. */
const value = "{[sv";

/**
 * Where a text stops being JSON, line and column from 1; null if it is JSON. JSON.parse tells it in each browser's words, quotes the text
 * and is silent about the place of many faults.
 */
export function syntaxFaultOf(text: string): { line: number; column: number } | null {
  const ends: string[] = [];
  let wanted = value;
  let position = 0;
  for (;;) {
    token.lastIndex = position;
    const [whole = "", string, scalar, sign = ""] = token.exec(text) ?? [];
    const kind = string !== undefined ? "s" : scalar !== undefined ? "v" : sign;
    if (kind === "" || !wanted.includes(kind)) break;
    position += whole.length;
    wanted = wantedAfter(kind, wanted, ends);
  }
  const blanks = text.slice(position).search(/[^ \t\r\n]/);
  if (blanks === -1 && wanted === "") return null;
  const lines = text.slice(0, position + Math.max(blanks, 0)).split("\n");
  return { line: lines.length, column: (lines.at(-1) ?? "").length + 1 };
}

/** The kinds that may follow; `ends` are the brackets still to be closed. */
function wantedAfter(kind: string, wanted: string, ends: string[]): string {
  if (kind === "{") {
    ends.push("}");
    return "s}";
  }
  if (kind === "[") {
    ends.push("]");
    return `${value}]`;
  }
  if (kind === ":") return value;
  if (kind === ",") return ends.at(-1) === "}" ? "s" : value;
  if (kind === "s" && !wanted.includes("v")) return ":";
  if (kind === "}" || kind === "]") ends.pop();
  return ends.length === 0 ? "" : `,${ends.at(-1)}`;
}
