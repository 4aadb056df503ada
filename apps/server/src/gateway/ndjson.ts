const newline = 0x0a;

export type Line = { number: number; bytes: Buffer } | { number: number; isTooLong: true };

/** Splits a byte stream at line feeds without decoding it. Empty lines are skipped; of a line beyond `bytesMax` only its number is kept. */
export async function* splitLines(source: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Line> {
  let number = 1;
  let parts: Buffer[] = [];
  let size = 0;
  const take = (): Line | null => {
    const line: Line = size > bytesMax ? { number, isTooLong: true } : { number, bytes: Buffer.concat(parts) };
    number += 1;
    parts = [];
    size = 0;
    return "bytes" in line && line.bytes.every(isBlank) ? null : line;
  };
  for await (const chunk of source) {
    let begin = 0;
    for (let end = chunk.indexOf(newline); end !== -1; end = chunk.indexOf(newline, begin)) {
      add(chunk.subarray(begin, end));
      begin = end + 1;
      const line = take();
      if (line) yield line;
    }
    add(chunk.subarray(begin));
  }
  const last = take();
  if (last) yield last;

  function add(part: Buffer): void {
    size += part.length;
    if (size <= bytesMax) parts.push(part);
    else parts = [];
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

/**
 * Works on up to `windowSize` inputs at once and yields the results in the order of the inputs. Reading stops while the window is
 * full or the results are not taken, which is what makes a fast sender wait.
 */
export async function* inOrder<Input, Result>(
  inputs: AsyncIterable<Input>,
  windowSize: number,
  work: (input: Input) => Promise<Result>,
): AsyncGenerator<Result> {
  const window: Promise<Result>[] = [];
  for await (const input of inputs) {
    window.push(work(input));
    const oldest = window.length >= windowSize ? window.shift() : undefined;
    if (oldest) yield await oldest;
  }
  for (const result of window) yield await result;
}
