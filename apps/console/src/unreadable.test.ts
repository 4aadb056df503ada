import { mkdtempSync, openAsBlob, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
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

test("of a file that was written to since it was chosen it is known that it must be chosen again", async () => {
  const folder = mkdtempSync(join(tmpdir(), "crossdock-file-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, "items.csv");
  writeFileSync(path, "sku\nA\n");
  const file = await openAsBlob(path);
  expect(await whyUnreadable(file)).toBeNull();
  writeFileSync(path, "sku\nA\nB\n");
  expect(await whyUnreadable(file)).toBe("import.changed");
});
