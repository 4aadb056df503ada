import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine, parseCsv, readCsvText } from "./csv.ts";

const nasty = fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "=", "+", "-", "@", "'", "a", "é", "漢", "\t", " ", ";", "＝") });
const head = "name\n";
const cellsOf = (text: string): string[] => parseCsv(head + text)[1]?.cells ?? [];

describe("a line of CSV", () => {
  test("is read back as it was", () => {
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 6 }), (fields) => {
        const shown = [...fields, "end"];
        expect(cellsOf(csvLine(shown)).map(readCsvText)).toEqual(shown);
      }),
    );
  });

  test("never starts a text so that a spreadsheet runs it", () => {
    fc.assert(
      fc.property(nasty, (field) => {
        expect(cellsOf(csvLine([field, "end"]))[0]).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
      { examples: [['=HYPERLINK("http://x")'], ["+1"], ["-1+1"], ["@SUM(A1)"], ["\t=1"]] },
    );
  });

  test("nor where one takes other signs for the end of a cell, and no quotes behind a comma", () => {
    fc.assert(
      fc.property(nasty, (field) => {
        const [, ...cells] = csvLine(["a", field, "end"]).split(/[;\t\r\n]/);
        for (const cell of cells) expect(cell).not.toMatch(/^"*[=+\-@＝]/);
      }),
      { examples: [["a;=1+1"], ["a\t@SUM(A1)"], ['a;"=1'], ["a\n=1"]] },
    );
  });

  test("leaves numbers as they are, negative ones too", () => {
    expect(csvLine([-5, 1.5, true, null])).toBe("-5,1.5,true,\r\n");
    expect(csvLine(["-5", "-12.50", "7", "-1+2", "-5,", "-", "+46"])).toBe(`-5,-12.50,7,'-1+2,"'-5,",'-,'+46\r\n`);
  });
});
