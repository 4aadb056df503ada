import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { createGunzip } from "node:zlib";

/** One line of a text file. With a problem, `text` is the nearest readable form of it, for the report only. */
export type Line = { number: number; text: string; problem: string | null };

/** Longer ones are reported instead of held in memory: no row of the known files comes near. */
const lineBytesMax = 1024 * 1024;

/** The bytes of a file, unpacked when it is gzip (told by its first two bytes, not by its name). */
export async function* fileBytes(path: string): AsyncGenerator<Buffer> {
  const file = await open(path);
  const { buffer: head } = await file.read(Buffer.alloc(2), 0, 2, 0);
  await file.close();
  const isGzip = head[0] === 0x1f && head[1] === 0x8b;
  const raw = createReadStream(path, { highWaterMark: 256 * 1024 });
  const unpacked = isGzip ? raw.pipe(createGunzip()) : raw;
  // `pipe` passes on data only; without this an unreadable file would leave its reader waiting.
  if (isGzip) raw.on("error", (error) => unpacked.destroy(error));
  yield* unpacked;
}

/** Splits bytes into lines without ever holding more than one line and one chunk. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const strict = new TextDecoder("utf-8", { fatal: true });
  let number = 0;
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  const keep = (piece: Buffer): void => {
    // Of an overlong line only the beginning is kept, which is enough to name it.
    if (pendingBytes <= lineBytesMax) pending.push(piece);
    pendingBytes += piece.length;
  };
  const finish = (): Line => {
    const line = decodeLine(Buffer.concat(pending), pendingBytes, (number += 1), strict);
    pending = [];
    pendingBytes = 0;
    return line;
  };
  for await (const chunk of chunks) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      keep(chunk.subarray(from, end));
      yield finish();
      from = end + 1;
    }
    if (from < chunk.length) keep(chunk.subarray(from));
  }
  if (pendingBytes > 0) yield finish();
}

function decodeLine(bytes: Buffer, length: number, number: number, strict: TextDecoder): Line {
  if (length > lineBytesMax) return { number, text: bytes.toString("latin1", 0, 200), problem: `line ${number} is longer than 1 MiB` };
  const end = bytes.at(-1) === 13 ? bytes.length - 1 : bytes.length;
  const content = bytes.subarray(0, end);
  const problem = content.includes(0) ? `line ${number} contains a NUL character` : null;
  try {
    // The decoder drops a byte order mark, which only the first line may have.
    return { number, text: strict.decode(content).replaceAll("\0", "␀"), problem };
  } catch {
    return { number, text: content.toString("utf8").replaceAll("\0", "␀"), problem: `line ${number} is not valid UTF-8` };
  }
}
