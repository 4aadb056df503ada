import { QueueError } from "./errors.ts";

const textOid = 25;

/**
 * A text[] in PostgreSQL's binary format (array_recv): nothing is escaped here or parsed there.
 * Throws QueueError 'nul-character': PostgreSQL's text cannot hold U+0000.
 */
export function textArray(texts: readonly string[]): Buffer {
  const lengths = texts.map((text) => Buffer.byteLength(text, "utf8"));
  // Dimensions, whether there are nulls, the element's type, then length and lower bound of the one dimension.
  const header = [1, 0, textOid, texts.length, 1];
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 4 * header.length));
  let offset = 0;
  for (const number of header) offset = bytes.writeInt32BE(number, offset);
  texts.forEach((text, index) => {
    if (text.includes("\0")) throw new QueueError("nul-character", "A key or document contains the character U+0000.");
    offset = bytes.writeInt32BE(lengths[index] ?? 0, offset);
    offset += bytes.write(text, offset, "utf8");
  });
  return bytes;
}

/** A PostgreSQL array literal of numbers; the driver's own serialisation quotes each element. */
export function arrayLiteral(values: readonly (number | string | boolean)[]): string {
  return `{${values.join(",")}}`;
}

/** The same of texts that hold neither quotes nor backslashes. */
export function quotedLiteral(values: readonly string[]): string {
  return values.length === 0 ? "{}" : `{"${values.join('","')}"}`;
}

/** An arrayLiteral, empty when all values are null: unnest fills the missing ones with nulls. */
export function sparseLiteral(values: readonly (number | string | null)[]): string {
  return values.every((value) => value === null) ? "{}" : arrayLiteral(values.map((value) => value ?? "null"));
}
