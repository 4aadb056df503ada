import { expect, test } from "vitest";
import { isUtf8 } from "./utf8.ts";

test.each([
  ["UTF-8, also with a byte order mark", "\uFEFFsku,name\nA,Kängor 靴 🥾\n", true],
  ["nothing", "", true],
  ["Windows' own encoding", Uint8Array.from([0x47, 0x72, 0xf6, 0xdf, 0x65]), false],
  ["a character that breaks off", Uint8Array.from([0x41, 0xc3]), false],
  ["UTF-16", Uint8Array.from([0xff, 0xfe, 0x41, 0x00]), false],
] as const)("a file is known as text in UTF-8 or not: %s", async (_name, content, expected) => {
  expect(await isUtf8(new Blob([content]))).toBe(expected);
});
