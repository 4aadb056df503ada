import type { ImportPreview, ImportSample } from "@crossdock/contract";
import { readFailure } from "../runs/line-text.ts";
import { SourceFault, type SourceRecord } from "./csv-reader.ts";
import { createGrouper, toOutcome } from "./documents.ts";
import { createReader } from "./readers.ts";

/** How many records are shown. */
const shownMax = 5;

/** What a file's first records would become, read in the same way as the whole file later. */
export function previewOf({ entityType, format, element, mapping, text, isWhole }: ImportSample): ImportPreview {
  const reader = createReader(format, element);
  const grouper = createGrouper(entityType, mapping);
  const groups: SourceRecord[][] = [];
  let failure: string | null = null;
  function read(work: () => SourceRecord[]): void {
    try {
      groups.push(...grouper.take(work()));
    } catch (error) {
      if (!(error instanceof SourceFault)) throw error;
      failure = error.message;
      groups.push(...grouper.take(error.before), ...grouper.end());
    }
  }
  read(() => reader.push(text.replace(/^\uFEFF/, "")));
  if (isWhole && failure === null) read(() => reader.end());
  if (isWhole && failure === null) groups.push(...grouper.end());
  return {
    records: groups.slice(0, shownMax).map((group) => {
      const outcome = toOutcome(entityType, mapping, group);
      return "faults" in outcome
        ? { line: outcome.line, document: null, faults: outcome.faults }
        : { line: outcome.line, document: JSON.stringify(outcome.document), faults: [] };
    }),
    failure: failure === null ? null : readFailure(failure),
  };
}
