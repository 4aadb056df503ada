import { QueueError } from "./errors.ts";

/** Texts one after the other as bytes, with 1-based offsets and lengths: the server cuts them apart faster than it parses an array. */
export type PackedText = { bytes: Buffer; offsets: string; lengths: string };

/** Throws QueueError 'nul-character': PostgreSQL's text cannot hold U+0000. */
export function packTexts(texts: readonly string[]): PackedText {
  const bytes = Buffer.from(texts.join(""), "utf8");
  if (bytes.includes(0)) throw new QueueError("nul-character", "A key or document contains the character U+0000.");
  const offsets: number[] = [];
  const lengths: number[] = [];
  let offset = 1;
  for (const text of texts) {
    const length = Buffer.byteLength(text, "utf8");
    offsets.push(offset);
    lengths.push(length);
    offset += length;
  }
  return { bytes, offsets: arrayLiteral(offsets), lengths: arrayLiteral(lengths) };
}

/** A PostgreSQL array literal of numbers; the driver's own serialisation quotes each element. */
export function arrayLiteral(values: readonly (number | string | boolean | null)[]): string {
  return `{${values.map((value) => value ?? "null").join(",")}}`;
}

/** The same, empty when all values are null: unnest fills the missing ones with nulls. */
export function sparseLiteral(values: readonly (number | string | null)[]): string {
  return values.every((value) => value === null) ? "{}" : arrayLiteral(values);
}
