import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { csvLine, csvWriter, ndjsonWriter } from "./rows-to-text.ts";

/** A reader of one RFC 4180 record, written from its grammar. */
function readRecord(text: string): string[] {
  const fields: string[] = [];
  let at = 0;
  do {
    let field = "";
    if (text[at] === '"') {
      for (at += 1; text[at] !== '"' || text[at + 1] === '"'; at += 1) {
        field += text[at];
        if (text[at] === '"') at += 1;
      }
      at += 1;
    } else for (; text[at] !== "," && text[at] !== "\r"; at += 1) field += text[at];
    fields.push(field);
  } while (text[at++] === ",");
  expect(text.slice(at - 1)).toBe("\r\n");
  return fields;
}

const nasty = fc.string({ unit: fc.constantFrom('"', ",", "\r", "\n", "=", "+", "-", "@", "'", "a", "é", "漢", "\t", " ") });

describe("a CSV record", () => {
  test("is read back as it was, but for the apostrophe before a formula", () => {
    fc.assert(
      fc.property(fc.array(nasty, { minLength: 1, maxLength: 6 }), (fields) => {
        const read = readRecord(csvLine(fields));
        expect(read).toHaveLength(fields.length);
        for (const [index, field] of fields.entries()) expect([field, `'${field}`]).toContain(read[index]);
      }),
    );
  });

  test("never starts a text so that a spreadsheet runs it", () => {
    fc.assert(
      fc.property(nasty, (field) => {
        expect(readRecord(csvLine([field]))[0]).not.toMatch(/^[=+\-@\t\r\n]/);
      }),
      { examples: [['=HYPERLINK("http://x")'], ["+1"], ["-1"], ["@SUM(A1)"], ["\t=1"]] },
    );
  });

  test("leaves numbers as they are, negative ones too", () => {
    expect(csvLine([-5, 1.5, true, null])).toBe("-5,1.5,true,\r\n");
  });
});

test("a CSV file starts with its column names, after a byte order mark when one is wanted", () => {
  const columns = [{ header: "Key", value: (row: { key: string }) => row.key }];
  expect(csvWriter(columns, { hasByteOrderMark: false }).head).toBe("Key\r\n");
  expect(csvWriter(columns, { hasByteOrderMark: true }).head).toBe("\uFEFFKey\r\n");
});

test("every NDJSON line is the row", () => {
  fc.assert(
    fc.property(fc.array(fc.dictionary(fc.string(), fc.jsonValue())), (rows) => {
      const lines = ndjsonWriter<object>().write(rows).split("\n").slice(0, -1);
      expect(lines.map((line) => JSON.parse(line))).toEqual(rows.map((row) => JSON.parse(JSON.stringify(row))));
    }),
  );
});
