import { expect, test } from "vitest";
import { lineBecause } from "../errors/faults.ts";
import { type SourceRecord, SourceFault } from "./csv-reader.ts";
import { scatteredRow } from "./scattered-rows.ts";

const keyOf = ({ value }: SourceRecord) => String(value["no"]);

/** Groups of one row each, from line 2 on, and how often they were read. */
function fileOf(numbers: string[], fault?: SourceFault) {
  const file = {
    readings: 0,
    groups: () => {
      file.readings += 1;
      return groupsOf(numbers, fault);
    },
  };
  return file;
}

async function* groupsOf(numbers: string[], fault?: SourceFault): AsyncGenerator<SourceRecord[]> {
  for (const [index, no] of numbers.entries()) yield [{ line: index + 2, value: { no } }];
  if (fault) throw fault;
}

test("an order that goes on after another one is found, however many readings a long file takes", async () => {
  const numbers = Array.from({ length: 200 }, (_, index) => String(index));
  for (const [parts, readings] of [
    [1, 1],
    [1_000, 7],
  ] as const) {
    const sorted = fileOf(numbers);
    expect(await scatteredRow(sorted.groups, keyOf, parts)).toBeNull();
    expect(sorted.readings).toBe(readings);
    for (const no of ["0", "42", "117"])
      expect(await scatteredRow(fileOf([...numbers, no]).groups, keyOf, parts)).toEqual(
        lineBecause(202, "file-order-scattered", { key: no }),
      );
  }
});

test("rows without a number are no order that goes on, and a file is looked through as far as it can be read", async () => {
  expect(await scatteredRow(fileOf(["", "1", "", "2"]).groups, keyOf, 1)).toBeNull();
  const broken = new SourceFault(lineBecause(4, "file-quote-open"));
  expect(await scatteredRow(fileOf(["1", "2"], broken).groups, keyOf, 1)).toBeNull();
  expect(await scatteredRow(fileOf(["1", "2", "1"], broken).groups, keyOf, 1)).toMatchObject({ line: 4, values: { key: "1" } });
});
