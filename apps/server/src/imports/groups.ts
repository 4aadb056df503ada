import type { EntityType } from "@crossdock/contract";
import type pg from "pg";
import { byteOrderMark } from "../api/csv.ts";
import { inTenant } from "../db.ts";
import { SourceFault, type SourceRecord } from "./csv-reader.ts";
import { columnsOf, createGrouper } from "./documents.ts";
import { createReader, lineEndsOf } from "./readers.ts";
import { readPart, type StoredImport } from "./rows.ts";

export type ImportedFile = Omit<StoredImport, "rowCount"> & { tenantId: number; runId: number; entityType: EntityType };

/**
 * Records that make one document, in order, while the file is read part by part. `onPart` is told of each before its records come. Throws a
 * SourceFault where the file can't be read any further.
 */
export async function* readGroups(
  pool: pg.Pool,
  { tenantId, runId, ...reading }: ImportedFile,
  onPart: (text: string) => void,
): AsyncGenerator<SourceRecord[]> {
  const reader = createReader(reading.format, reading.element, columnsOf(reading.mapping));
  const grouper = createGrouper(reading);
  try {
    let withLineFeeds = lineEndsOf("");
    for (let number = 1; ; number += 1) {
      const part = await inTenant(pool, tenantId, (client) => readPart(client, tenantId, runId, number));
      if (part === null) break;
      if (number === 1) withLineFeeds = lineEndsOf(part);
      const text = withLineFeeds(part);
      onPart(text);
      // Windows writes a byte order mark before a file.
      yield* grouper.take(reader.push(number === 1 && text.startsWith(byteOrderMark) ? text.slice(1) : text));
    }
    yield* grouper.take(reader.end());
    yield* grouper.end();
  } catch (error) {
    if (error instanceof SourceFault) error.unreadFrom = grouper.begun() ?? error.unreadFrom;
    throw error;
  }
}
