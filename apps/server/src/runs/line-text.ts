import { Fault, type RefusalReason, type RunFailure, type RunLine } from "@crossdock/contract";
import { z } from "zod";
import { namerOf } from "../errors/faults.ts";

/** The most characters of a line of the log. */
export const lineMax = 2_000;

/** The log's text for a wrong line of a file: JSON, so that each fault keeps its name and values. */
const Told = z.object({ line: z.number().int(), faults: z.array(Fault).min(1) });
type Told = z.infer<typeof Told>;

/** Leaves out the last faults where all of them would be too long; a single one that is too long is told in plain words. */
export function lineText({ line, faults }: Told): string {
  const kept = [...faults];
  while (kept.length > 0) {
    const text = JSON.stringify({ line, faults: kept } satisfies Told);
    if (text.length <= lineMax) return text;
    kept.pop();
  }
  return sentenceOf({ line, faults });
}

function sentenceOf({ line, faults }: Told): string {
  return `line ${line}: ${faultsText(faults)}`;
}

/** Faults in plain words, each with its path. */
export function faultsText(faults: readonly Fault[]): string {
  return faults.map(({ path, message }) => (path === "" ? message : `${path}: ${message}`)).join("; ");
}

/** A line of the log for people, with the names by which the console tells it in its language. */
export function readLineText(text: string): Pick<RunLine, "text" | "line" | "faults"> {
  const told = toldOf(text);
  if (told) return { text: sentenceOf(told), ...told };
  const { line, ...failure } = readFailure(text);
  return { text, ...(line !== undefined && { line }), faults: failure.reason === undefined ? [] : [{ path: "", ...failure }] };
}

function toldOf(text: string): Told | null {
  if (!text.startsWith('{"line":')) return null;
  try {
    return Told.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}

/** What can end a run. */
const endings = [
  "file-cells",
  "file-cell-endless",
  "file-quote-open",
  "file-column-twice",
  "file-line-cells",
  "file-line-too-long",
  "file-order-scattered",
  "file-order-rows",
  "xml-part-endless",
  "xml-text-too-long",
  "xml-record-too-long",
  "xml-breaks-off",
  "xml-text-outside",
  "xml-document-type",
  "xml-end-strange",
  "xml-tag-nameless",
  "xml-second-document",
  "xml-too-deep",
  "run-breaks-off",
  "run-subject-gone",
  "run-same-page",
  "run-target-unread",
  "run-source-unread",
  "run-source-incomplete",
  "run-source-unfit",
  "credentials-closed",
  "point-no-source-of-type",
] as const satisfies RefusalReason[];
export type Ending = (typeof endings)[number];

const withName = namerOf([
  ...endings,
  "import-given-up",
  "run-taken-up",
  "run-source-untold",
  "run-some-rejected",
  "run-key-changed",
  "run-key-skipped",
  "run-columns-cut",
  "run-tried-again",
]);

/** What ended a run, in the words in which it was kept. */
export function readFailure(text: string): RunFailure {
  const [, line, said = text] = /^line (\d+): (.*)$/s.exec(text) ?? [];
  const { path: _, ...named } = withName({ path: "", message: said });
  if (named.reason === undefined) return { message: text };
  return { ...named, ...(line !== undefined && { line: Number(line) }) };
}
