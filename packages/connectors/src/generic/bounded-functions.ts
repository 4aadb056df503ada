import jsonata from "jsonata";

/** Pictures of numbers and times: JSONata goes through them again for each of their characters. */
const pictureMax = 100;
/** Of a text that is looked for in another: V8 may take the product of their lengths. */
const soughtMax = 1_000;
const textMax = 10_000_000;

/** Those of JSONata's functions whose time, or result, grows faster than what they are given: one step must not hold the process for long. */
export function boundFunctions(expression: jsonata.Expression): void {
  expression.registerFunction("pad", pad, "<s-ns?:s>");
  expression.registerFunction("join", join, "<a<s>s?:s>");
  expression.registerFunction("distinct", distinct, "<x:x>");
  expression.registerFunction("sort", sort, "<af?:a>");
  expression.registerFunction("spread", spread, "<x-:a<o>>");
  expression.registerFunction("toMillis", toMillis, "<s-s?:n>");
  expression.registerFunction("fromMillis", ownOf("fromMillis", 1, pictureMax), "<n-s?s?:s>");
  expression.registerFunction("formatNumber", ownOf("formatNumber", 1, pictureMax), "<n-so?:s>");
  expression.registerFunction("formatInteger", ownOf("formatInteger", 1, pictureMax), "<n-s:s>");
  expression.registerFunction("parseInteger", ownOf("parseInteger", 1, pictureMax), "<s-s:n>");
  expression.registerFunction("contains", ownOf("contains", 1, soughtMax), "<s-(sf):b>");
  expression.registerFunction("split", ownOf("split", 1, soughtMax), "<s-(sf)n?:a<s>>");
  expression.registerFunction("substringBefore", ownOf("substringBefore", 1, soughtMax), "<s-s:s>");
  expression.registerFunction("substringAfter", ownOf("substringAfter", 1, soughtMax), "<s-s:s>");
  expression.registerFunction("replace", replace, "<s-(sf)(sf)n?:s>");
}

/** JSONata's own function, which refuses a longer text at this place among its arguments. */
function ownOf(name: string, at = 0, lengthMax = Infinity): (...given: unknown[]) => Promise<unknown> {
  const names = ["a", "b", "c", "d"];
  const calls = names.map((_name, index) =>
    jsonata(
      `$${name}(${names
        .slice(0, index + 1)
        .map((each) => `$${each}`)
        .join(", ")})`,
    ),
  );
  return async (...given) => {
    const limited = given[at];
    if (typeof limited === "string" && limited.length > lengthMax)
      throw new Error(`$${name} takes no text of more than ${lengthMax} characters there`);
    return calls[given.length - 1]?.evaluate(undefined, Object.fromEntries(given.map((value, index) => [names[index], value])));
  };
}

const sizes = new WeakMap<object, number>();

/** Whether it was asked for before. */
export const isSized = (value: unknown): boolean => typeof value === "object" && value !== null && sizes.has(value);

/** Characters and values of something as it would be written: a part that is shared counts wherever it stands. */
export function sizeOf(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null || "_jsonata_lambda" in value || "_jsonata_function" in value) return 1;
  const known = sizes.get(value);
  if (known !== undefined) return known;
  let size = 1;
  sizes.set(value, size);
  for (const part of Object.values(value)) size += sizeOf(part);
  sizes.set(value, size);
  return size;
}

/** JSONata's own would allocate any width in one step. */
function pad(text: string | undefined, width: number, filler = " "): string | undefined {
  if (text === undefined) return undefined;
  const length = Math.min(Math.abs(Math.trunc(width)), 10_000);
  return width < 0 ? text.padStart(length, filler || " ") : text.padEnd(length, filler || " ");
}

/** JSONata's own would take any separator as often as there are texts. */
function join(texts: string[] | undefined, separator = ""): string | undefined {
  if (texts === undefined) return undefined;
  if (texts.length * separator.length > textMax) throw new Error("a text longer than a document may be");
  return texts.join(separator);
}

const distinctOf = ownOf("distinct");

/** JSONata's own compares each value with each, in one step. */
function distinct(list: unknown): Promise<unknown> {
  if (Array.isArray(list) && list.length * sizeOf(list) > 50_000_000) throw new Error("more values than can be compared with each other");
  return distinctOf(list);
}

const toMillisOf = ownOf("toMillis", 1, pictureMax);

/** JSONata's own makes a regular expression of the picture. It takes time without end where a part may begin before or behind what ends the part before. */
function toMillis(text: string | undefined, picture?: string): Promise<unknown> {
  if (picture !== undefined && runsTogether(picture)) throw new Error("a picture whose parts run into each other");
  return toMillisOf(text, picture);
}

/** `[Y0001][M01]` does not, as numbers side by side have their width; nor does `[D1][MNn]`, or anything between which stands a sign that neither has. */
function runsTogether(picture: string): boolean {
  const parts = [...picture.matchAll(/\[([^\]]*)\]([^[]?)/g)].map(([, marker = "", sign = ""]) => ({
    kind: kindOf(marker.replace(/\s/g, "")),
    sign,
  }));
  return parts.some(({ kind, sign }, index) => {
    if (kind === "words") return true;
    const next = parts[index + 1]?.kind;
    if (sign === "") return kind === next && kind === "letters";
    return kind === "letters" ? /[a-z]/i.test(sign) : /\d/.test(sign);
  });
}

/** The first letter says which part of the time it is, the next sign how it is written. */
function kindOf(marker: string): "digits" | "letters" | "words" {
  if (/^.w/i.test(marker)) return "words";
  return /^(?:.[a-z]|[FPCE](?:,|$))/i.test(marker) && !/^[Zzf]/.test(marker) ? "letters" : "digits";
}

type IsAfter = (one: unknown, other: unknown) => unknown;

/** JSONata's own copies what is left of a list for each of its values. */
async function sort(list: unknown[] | undefined, isAfter?: IsAfter): Promise<unknown[] | undefined> {
  if (list === undefined) return undefined;
  if (isAfter) return merged(list, isAfter);
  const isOneKind = ["number", "string"].some((kind) => list.every((value) => typeof value === kind));
  if (!isOneKind && list.length > 1) throw new Error("$sort needs a function to compare what is neither all numbers nor all texts");
  return (list as string[]).toSorted((one, other) => Number(one > other) - Number(one < other));
}

async function merged(list: unknown[], isAfter: IsAfter): Promise<unknown[]> {
  if (list.length <= 1) return list;
  const middle = Math.floor(list.length / 2);
  const [left, right] = [await merged(list.slice(0, middle), isAfter), await merged(list.slice(middle), isAfter)];
  const result: unknown[] = [];
  let [from, other] = [0, 0];
  while (from < left.length && other < right.length) result.push((await isAfter(left[from], right[other])) ? right[other++] : left[from++]);
  return [...result, ...left.slice(from), ...right.slice(other)];
}

/** JSONata's own copies all that it has found for each part of a list. As there, a list of one is that one, and one of none nothing. */
function spread(value: unknown): unknown {
  const found = [value]
    .flat(Infinity)
    .flatMap((each) => (isObject(each) ? Object.entries(each).map(([name, part]) => ({ [name]: part })) : [each]));
  return found.length > 1 ? found : found[0];
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null && !("_jsonata_lambda" in value);

const replaceOf = ownOf("replace", 1, soughtMax);

/** JSONata's own would put in any text as often as the other is found. */
async function replace(text: string | undefined, sought: unknown, ...rest: unknown[]): Promise<unknown> {
  const [put] = rest;
  if (text !== undefined && typeof sought === "string" && sought !== "" && sought.length <= soughtMax && typeof put === "string")
    if (text.split(sought).length * put.length > textMax) throw new Error("a text longer than a document may be");
  return replaceOf(text, sought, ...rest);
}
