/** One element of a JSON array: its text as it stands in the file. */
export type Element = { number: number; text: string; problem: string | null };

const elementCharactersMax = 4 * 1024 * 1024;

/**
 * The objects of a JSON array, one at a time, found by counting braces outside of strings. What stands between them is skipped,
 * so one broken element does not hide the ones after it.
 */
export async function* readJsonArray(chunks: AsyncIterable<Buffer>): AsyncGenerator<Element> {
  // Bytes 0x80 to 0xff never mean structure in UTF-8, so the scan may run over bytes and decode each element on its own.
  const strict = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let pieces: Buffer[] = [];
  let held = 0;
  const finish = (): Element => {
    const bytes = Buffer.concat(pieces);
    pieces = [];
    held = 0;
    return decodeElement(bytes, (number += 1), strict);
  };
  for await (const chunk of chunks) {
    let from = depth > 0 ? 0 : -1;
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index];
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === 0x5c) isEscaped = true;
        else if (byte === 0x22) isInString = false;
      } else if (byte === 0x22) {
        isInString = depth > 0;
      } else if (byte === 0x7b) {
        if (depth === 0) from = index;
        depth += 1;
      } else if (byte === 0x7d && depth > 0) {
        depth -= 1;
        if (depth === 0) {
          pieces.push(chunk.subarray(from, index + 1));
          yield finish();
          from = -1;
        }
      }
    }
    if (from >= 0) {
      held += chunk.length - from;
      if (held > elementCharactersMax) throw new Error(`element ${number + 1} of the array does not end within 4 MiB`);
      pieces.push(chunk.subarray(from));
    }
  }
  if (pieces.length > 0) yield { ...finish(), problem: `element ${number} breaks off at the end of the file` };
}

function decodeElement(bytes: Buffer, number: number, strict: TextDecoder): Element {
  const problem = bytes.includes(0) ? `element ${number} contains a NUL character` : null;
  try {
    return { number, text: strict.decode(bytes), problem };
  } catch {
    return { number, text: bytes.toString("utf8"), problem: `element ${number} is not valid UTF-8` };
  }
}
