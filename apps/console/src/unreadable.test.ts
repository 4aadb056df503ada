import { expect, test } from "vitest";
import { whyUnreadable } from "./unreadable.ts";

test.each([
  ["UTF-8, also with a byte order mark", "\uFEFFsku,name\nA,Kängor 靴 🥾\n", null],
  ["nothing", "", "import.empty"],
  ["a byte order mark and blanks", "\uFEFF \r\n", "import.empty"],
  ["Windows' own encoding", Uint8Array.from([0x47, 0x72, 0xf6, 0xdf, 0x65]), "import.notUtf8"],
  ["a character that breaks off", Uint8Array.from([0x41, 0xc3]), "import.notUtf8"],
  ["UTF-16", Uint8Array.from([0xff, 0xfe, 0x41, 0x00]), "import.notUtf8"],
] as const)("of a file it is known whether it is text in UTF-8 that says something: %s", async (_name, content, expected) => {
  expect(await whyUnreadable(new Blob([content]))).toBe(expected);
});
