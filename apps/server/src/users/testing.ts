import { crc32, deflateSync } from "node:zlib";

type Picture = { width: number; height: number; colourType?: number; data?: Buffer; text?: string };

/** A PNG of transparent pixels, wrong where a test wants it to be. */
export function pngOf({ width, height, colourType = 6, data, text }: Picture): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, colourType, 0, 0, 0], 8);
  const pixels = data ?? deflateSync(Buffer.alloc(height * (1 + width * 4)));
  const chunks = [
    chunk("IHDR", header),
    ...(text ? [chunk("tEXt", Buffer.from(text))] : []),
    chunk("IDAT", pixels),
    chunk("IEND", Buffer.alloc(0)),
  ];
  return Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]), ...chunks]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([length, body, sum]);
}
