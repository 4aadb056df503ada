import type { ImportPreview, ImportSample } from "@crossdock/contract";
import { readFailure } from "../runs/line-text.ts";
import { SourceFault, type SourceRecord } from "./csv-reader.ts";
import { columnsOf, createGrouper, toOutcome } from "./documents.ts";
import { createReader, lineEndsOf } from "./readers.ts";

/** How many records are shown. */
const shownMax = 5;
/** Of a record of CSV, which has no more. */
const columnsMax = 500;

/** What a file's first records would become, read in the same way as the whole file later. */
export function previewOf(sample: ImportSample): ImportPreview {
  const { format, element, mapping, isWhole } = sample;
  const text = lineEndsOf(sample.text)(sample.text);
  const reader = createReader(format, element, columnsOf(mapping));
  const grouper = createGrouper(sample);
  function* read(): Generator<SourceRecord[]> {
    yield* grouper.take(reader.push(text.replace(/^\uFEFF/, "")));
    if (!isWhole) return;
    yield* grouper.take(reader.end());
    yield* grouper.end();
  }
  const groups: SourceRecord[][] = [];
  let failure: string | null = null;
  try {
    for (const group of read().take(shownMax)) groups.push(group);
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
    failure = error.message;
    groups.push(...grouper.end());
  }
  return {
    columns: columnsIn({ ...sample, text }),
    records: groups.map((group) => {
      const outcome = toOutcome(sample, group);
      return "faults" in outcome
        ? { line: outcome.line, document: null, faults: outcome.faults }
        : { line: outcome.line, document: JSON.stringify(outcome.document), faults: [] };
    }),
    failure: failure === null ? null : readFailure(failure),
  };
}

function columnsIn({ format, element, text }: ImportSample): string[] {
  const records: SourceRecord[] = [];
  try {
    for (const record of createReader(format, element, null).push(text.replace(/^\uFEFF/, ""))) {
      records.push(record);
      if (records.length === shownMax) break;
    }
  } catch (error) {
    if (!(error instanceof SourceFault)) throw error;
  }
  return [...new Set(records.flatMap(({ value }) => Object.keys(value)))].filter((name) => name !== "").slice(0, columnsMax);
}
