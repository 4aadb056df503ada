import { crc32, deflateSync, inflateSync } from "node:zlib";

/** Pixels along the longer side. */
const sideMax = 256;
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
/** Bytes of a pixel by colour type: truecolour without and with alpha. Nothing else is taken. */
const pixelBytes: Record<number, number> = { 2: 3, 6: 4 };

type Header = { width: number; height: number; colourType: number };

/**
 * Reads a PNG (https://www.w3.org/TR/png-3/) to the last pixel and writes it anew, without whatever else its file held. Null for anything
 * that isn't one, is larger than an avatar may be, or has another form than browsers' canvases write.
 */
export function rewritePng(file: Buffer): Buffer | null {
  const chunks = readChunks(file);
  const header = chunks && readHeader(chunks[0]);
  if (!chunks || !header || chunks.at(-1)?.type !== "IEND") return null;
  const pixels = inflate(Buffer.concat(chunks.filter(({ type }) => type === "IDAT").map(({ data }) => data)), header);
  if (!pixels) return null;
  const ihdr = Buffer.alloc(13);
  ihdr.writeUInt32BE(header.width, 0);
  ihdr.writeUInt32BE(header.height, 4);
  ihdr.set([8, header.colourType, 0, 0, 0], 8);
  return Buffer.concat([
    signature,
    chunkOf("IHDR", ihdr),
    chunkOf("IDAT", deflateSync(pixels, { level: 9 })),
    chunkOf("IEND", Buffer.alloc(0)),
  ]);
}

type Chunk = { type: string; data: Buffer };

/** Null when a chunk is cut off or its checksum is wrong. */
function readChunks(file: Buffer): Chunk[] | null {
  if (!file.subarray(0, 8).equals(signature)) return null;
  const chunks: Chunk[] = [];
  for (let at = 8; at < file.length;) {
    if (at + 12 > file.length) return null;
    const length = file.readUInt32BE(at);
    const end = at + 8 + length;
    if (end + 4 > file.length || crc32(file.subarray(at + 4, end)) !== file.readUInt32BE(end)) return null;
    chunks.push({ type: file.toString("latin1", at + 4, at + 8), data: file.subarray(at + 8, end) });
    at = end + 4;
  }
  return chunks;
}

function readHeader(chunk: Chunk | undefined): Header | null {
  if (chunk?.type !== "IHDR" || chunk.data.length !== 13) return null;
  const [width, height] = [chunk.data.readUInt32BE(0), chunk.data.readUInt32BE(4)];
  const [depth, colourType = -1, compression, filter, interlace] = chunk.data.subarray(8);
  const isPlain = depth === 8 && compression === 0 && filter === 0 && interlace === 0;
  const isSmall = width >= 1 && height >= 1 && width <= sideMax && height <= sideMax;
  return isPlain && isSmall && colourType in pixelBytes ? { width, height, colourType } : null;
}

/** Lines of pixels, each behind the number of its filter. */
function inflate(data: Buffer, { width, height, colourType }: Header): Buffer | null {
  const lineBytes = 1 + width * (pixelBytes[colourType] ?? 0);
  try {
    const pixels = inflateSync(data, { maxOutputLength: lineBytes * height });
    if (pixels.length !== lineBytes * height) return null;
    for (let line = 0; line < height; line += 1) if ((pixels[line * lineBytes] ?? 5) > 4) return null;
    return pixels;
  } catch {
    return null;
  }
}

function chunkOf(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
