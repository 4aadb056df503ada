import type { LineFault } from "@crossdock/contract";
import { lineBecause } from "../errors/faults.ts";
import { sha256 } from "../keys/sha256.ts";
import { type SourceRecord, SourceFault } from "./csv-reader.ts";

/** Of so many parts, 250,000 characters each, the keys take some 30 MB. */
const partsAtOnce = 160;

/**
 * Why a file can't be imported whose orders have their rows not next to each other: what had been stored of one would be short, and its other rows
 * would replace it. Null where it can be, as far as it can be read. A long file is read once for each share of the keys, so that memory does not
 * grow with it.
 */
export async function scatteredRow(
  groupsOfFile: () => AsyncIterable<SourceRecord[]>,
  keyOf: (record: SourceRecord) => string | undefined,
  parts: number,
): Promise<LineFault | null> {
  const shares = Math.ceil(parts / partsAtOnce);
  try {
    for (let share = 0; share < shares; share += 1) {
      const ended = new Set<string>();
      for await (const [first] of groupsOfFile()) {
        const key = first && keyOf(first);
        if (!key) continue;
        const digest = sha256(key);
        if (digest.readUInt32BE() % shares !== share) continue;
        const name = digest.toString("latin1", 0, 16);
        if (ended.has(name)) return lineBecause(first.line, "file-order-scattered", { key: key.slice(0, 200) });
        ended.add(name);
      }
    }
  } catch (error) {
    // Told when what stands before it has been stored.
    if (!(error instanceof SourceFault)) throw error;
  }
  return null;
}
