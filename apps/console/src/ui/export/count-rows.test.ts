import { expect, test } from "vitest";
import { createRowCounter } from "./count-rows.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a line feed between quotes ends no row, wherever the file is cut", () => {
  const text = 'key,error\r\n1,"two\nlines with a ""quote"""\r\n2,plain\r\n';
  for (let cut = 0; cut <= text.length; cut += 1) {
    const count = createRowCounter("csv");
    count(bytes(text.slice(0, cut)));
    expect(count(bytes(text.slice(cut)))).toBe(2);
  }
});

test("each line of NDJSON is a row, and nothing is none", () => {
  expect(createRowCounter("ndjson")(bytes('{"key":"a \\" quote"}\n{"key":"b"}\n'))).toBe(2);
  expect(createRowCounter("csv")(bytes(""))).toBe(0);
});
