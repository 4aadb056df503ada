import { Readable, Transform, pipeline } from "node:stream";
import { ByteBuffer } from "../http/byte-buffer.ts";

const newline = 0x0a;

export type Line = { number: number; bytes: Buffer } | { number: number; isTooLong: true };

/** Splits a byte stream at line feeds without decoding it. Empty lines are skipped; for a line longer than `bytesMax` only its number is kept. */
export async function* splitLines(source: AsyncIterable<Buffer>, bytesMax: number): AsyncGenerator<Line> {
  let number = 1;
  const parts = new ByteBuffer();
  let size = 0;
  const take = (): Line | null => {
    const bytes = parts.take();
    const line: Line = size > bytesMax ? { number, isTooLong: true } : { number, bytes };
    number += 1;
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
    if (size <= bytesMax) parts.append(part);
  }
}

function isBlank(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}

const pieceLength = 16_384;

/** How long the next input may be awaited until its sender is taken to wait for results. */
const pauseMs = 250;

/**
 * `windowSize`: the most inputs under way at once, and `windowBytesMax` of how many bytes; a larger one is so alone. `waitingBytesMax`: how much of
 * the results may wait for a slow reader.
 */
type Limits<Input> = { windowSize: number; windowBytesMax: number; waitingBytesMax: number; bytesOf: (input: Input) => number };

/**
 * Works on several inputs at once and streams the results in the order of the inputs. They are held back while inputs keep coming: many a
 * proxy, such as nginx, and many a sender passes on no more of a body once its answer has begun. From the first pause on, or when as many
 * wait as may, each leaves as soon as it and those before it are there. Reading stops while the window is full or the results are not taken,
 * which is what makes a fast sender wait.
 */
export function streamInOrder<Input>(
  inputs: AsyncIterable<Input>,
  { windowSize, windowBytesMax, waitingBytesMax, bytesOf }: Limits<Input>,
  work: (input: Input) => Promise<string>,
): Readable {
  const { joined, begin } = joinToPieces(waitingBytesMax);
  const { admit, leave } = createWindow(windowBytesMax, bytesOf);
  const workAndLeave = (input: Input): Promise<string> => work(input).finally(() => leave(input));
  const results = Readable.from(admit(tellPauses(inputs, begin))).map(workAndLeave, { concurrency: windowSize, highWaterMark: windowSize });
  return pipeline(results, joined, () => {
    // The failure reaches whoever reads the joined stream.
  });
}

/** What is admitted waits until those before it have left enough of the bytes. */
function createWindow<Input>(bytesMax: number, bytesOf: (input: Input) => number) {
  const held = { bytes: 0, change: Promise.withResolvers<void>() };
  async function* admit(inputs: AsyncIterable<Input>): AsyncGenerator<Input> {
    for await (const input of inputs) {
      while (held.bytes > 0 && held.bytes + bytesOf(input) > bytesMax) await held.change.promise;
      held.bytes += bytesOf(input);
      yield input;
    }
  }
  function leave(input: Input): void {
    held.bytes -= bytesOf(input);
    held.change.resolve();
    held.change = Promise.withResolvers<void>();
  }
  return { admit, leave };
}

/** Calls `onPause` when the next input is awaited for long, and when there is none because reading fails. */
async function* tellPauses<Input>(inputs: AsyncIterable<Input>, onPause: () => void): AsyncGenerator<Input> {
  let timer: NodeJS.Timeout | undefined;
  try {
    for await (const input of inputs) {
      clearTimeout(timer);
      yield input;
      timer = setTimeout(onPause, pauseMs);
    }
  } catch (error) {
    onPause();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Joins what comes in one turn of the event loop into one piece, so that a large batch is not written line by line. Nothing leaves before
 * `begin` is called, the end has come or as much waits as may.
 */
function joinToPieces(waitingBytesMax: number): { joined: Transform; begin: () => void } {
  let hasBegun = false;
  let piece = "";
  let scheduled: NodeJS.Immediate | undefined;
  const send = (): void => {
    clearImmediate(scheduled);
    scheduled = undefined;
    if (piece !== "") joined.push(piece);
    piece = "";
  };
  const begin = (): void => {
    hasBegun = true;
    send();
  };
  const joined = new Transform({
    writableObjectMode: true,
    readableHighWaterMark: waitingBytesMax,
    transform(text: string, _encoding, done) {
      piece += text;
      // What is sent from here makes the writer wait where too much is waiting already.
      if (joined.readableLength + piece.length >= waitingBytesMax) begin();
      else if (hasBegun && piece.length >= pieceLength) send();
      else if (hasBegun) scheduled ??= setImmediate(send);
      done();
    },
    flush(done) {
      send();
      done();
    },
    destroy(error, done) {
      clearImmediate(scheduled);
      done(error);
    },
  });
  return { joined, begin };
}
