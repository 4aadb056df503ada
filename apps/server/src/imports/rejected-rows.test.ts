import fc from "fast-check";
import { expect, test } from "vitest";
import { createCsvReader } from "./csv-reader.ts";
import { harmlessCells } from "./rejected-rows.ts";

const nasty = fc.string({ unit: fc.constantFrom('"', ",", ";", "\t", "\n", "=", "+", "-", "@", "'", "a", "1", " ", "＝", "é") });
const quoted = nasty.map((text) => `"${text.replaceAll('"', '""')}"`);
const separators = [",", ";", "\t"];

/** What an import reads of a row. */
function valueOf(row: string, separator: string): unknown {
  const reader = createCsvReader(null);
  const [record] = [...reader.push(`${["a", "b", "c"].join(separator)}\n${row}\n`), ...reader.end()];
  return record?.value;
}

test("the cells of a row that is handed in again read as they did, and a spreadsheet runs none", () => {
  const plain = nasty.map((text) => text.replace(/[",;\t\n]/g, ""));
  fc.assert(
    fc.property(fc.array(fc.oneof(plain, quoted), { minLength: 3, maxLength: 3 }), fc.constantFrom(...separators), (cells, separator) => {
      const row = cells.join(separator);
      const harmless = harmlessCells(row, separator);
      expect(harmless).toHaveLength(3);
      expect(valueOf(harmless.join(separator), separator)).toEqual(valueOf(row, separator));
      for (const cell of harmless) expect(cell).not.toMatch(/^"?(?!-?\d+(?:\.\d+)?"?$)[=+\-@\t\n＝]/);
    }),
    { examples: [[["=1+1", '"=""a"";\n"', "'=1"], ";"]] },
  );
});
