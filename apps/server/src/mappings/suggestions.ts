import type { MissingMapping } from "@crossdock/contract";

type Row = { fieldName: string; source: string; sourceValue: string; target: string; targetValue: string };
type Lack = Pick<MissingMapping, "fieldName" | "value" | "source" | "target">;

/** Known values that one missing value is compared with letter by letter; any number is looked up as a whole. */
const comparedMax = 2_000;

/** No mapping says anything of what is longer. */
const valueMax = 500;

type Known = { folded: string; sourceValue: string; targetValue: string };

/**
 * What a missing value probably reads at the target: as the known value of the same field that differs from it by case, spaces, punctuation or
 * accents alone, else as the one that differs by a slip of the pen. Nothing where several are as close and read differently.
 */
export function suggestionsFor(rows: readonly Row[]): (lack: Lack) => MissingMapping["suggestion"] {
  const known = Map.groupBy(
    rows.filter(({ sourceValue, targetValue }) => !sourceValue.includes("*") && targetValue !== "*" && targetValue !== ""),
    ({ fieldName, target }) => JSON.stringify([fieldName, target]),
  );
  const foldedOf = new Map([...known].map(([way, ofWay]) => [way, ofWay.map((row) => ({ ...row, folded: fold(row.sourceValue) }))]));
  return ({ fieldName, value, source, target }) => {
    if (value.length > valueMax) return null;
    const ofField = foldedOf.get(JSON.stringify([fieldName, target])) ?? [];
    const candidates = ofField.filter((row) => row.source === "*" || source === "*" || row.source === source);
    const wanted = fold(value);
    return onlyOne(candidates.filter(({ folded }) => folded === wanted)) ?? onlyOne(closest(candidates.slice(0, comparedMax), wanted));
  };
}

/** "Navy  Bleu" and "navy-bleú" read alike. Of what consists of other signs alone these are all there is. */
function fold(value: string): string {
  const plain = value.normalize("NFKD").toLowerCase();
  return plain.replace(/[^\p{L}\p{M}\p{N}]|[\u0300-\u036f]/gu, "") || plain;
}

function onlyOne(found: readonly Known[]): MissingMapping["suggestion"] {
  const [first] = found;
  if (!first || found.some(({ targetValue }) => targetValue !== first.targetValue)) return null;
  return { targetValue: first.targetValue, like: first.sourceValue };
}

/** Slips in a word of that length: of a short one any other letter makes another word. */
const slipsMax = (length: number): number => (length < 5 ? 0 : length < 9 ? 1 : 2);

const digits = (text: string): string => text.replace(/\P{N}/gu, "");

/** Those with the fewest slips. Another number is another value, however close it looks. */
function closest(candidates: readonly Known[], wanted: string): Known[] {
  let least = slipsMax(wanted.length);
  let found: Known[] = [];
  for (const candidate of candidates) {
    if (digits(candidate.folded) !== digits(wanted)) continue;
    const slips = distance(candidate.folded, wanted, least);
    if (slips === 0 || slips > least) continue;
    found = slips < least ? [candidate] : [...found, candidate];
    least = slips;
  }
  return found;
}

/** How many letters have to be put in, taken out or replaced to make one of the other (Levenshtein); more than `max` is `max` + 1. */
function distance(one: string, other: string, max: number): number {
  if (Math.abs(one.length - other.length) > max) return max + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at += 1) {
    const next = [at];
    for (let place = 1; place <= other.length; place += 1) {
      const isSame = one[at - 1] === other[place - 1];
      next.push(Math.min((row[place] ?? 0) + 1, (next[place - 1] ?? 0) + 1, (row[place - 1] ?? 0) + (isSame ? 0 : 1)));
    }
    if (Math.min(...next) > max) return max + 1;
    row = next;
  }
  return row[other.length] ?? 0;
}
