import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { readDelimited, type Row } from "./delimited.ts";
import { groupRows } from "./group-rows.ts";
import { readJsonArray, type Element } from "./json-array.ts";
import { fileBytes, readLines, type Line } from "./lines.ts";

const dir = mkdtempSync(join(tmpdir(), "crossdock-lines-"));
afterAll(() => rmSync(dir, { recursive: true }));

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size);
}

function lines(bytes: Buffer | string, chunkSize = 7): Promise<Line[]> {
  return Array.fromAsync(readLines(chunksOf(Buffer.from(bytes), chunkSize)));
}

function rows(text: string, columns = 3): Promise<Row[]> {
  return Array.fromAsync(readDelimited(readLines(chunksOf(Buffer.from(text), 5)), { separator: ",", columns }));
}

test.each([1, 2, 3, 64])("lines survive chunks of %i bytes, a byte order mark and both line ends", async (size) => {
  const found = await lines("\ufeffÅse,1\r\nØl,2\nlast", size);
  expect(found.map(({ text, problem }) => [text, problem])).toEqual([
    ["Åse,1", null],
    ["Øl,2", null],
    ["last", null],
  ]);
});

test("a line that is no UTF-8 or holds a NUL is reported, and the others are read", async () => {
  const found = await lines(Buffer.concat([Buffer.from("good\n"), Buffer.from("f\u00fcr\n", "latin1"), Buffer.from("a\0b\ngood\n")]));
  expect(found.map(({ problem }) => problem)).toEqual([null, "line 2 is not valid UTF-8", "line 3 contains a NUL character", null]);
  expect(found[2]?.text).toBe("a␀b");
});

test("a line without end does not fill the memory", async () => {
  const [line, next] = await lines(`${"x".repeat(3 * 1024 * 1024)}\nnext`, 256 * 1024);
  expect(line).toMatchObject({ problem: "line 1 is longer than 1 MiB" });
  expect(line?.text.length).toBeLessThan(1000);
  expect(next?.text).toBe("next");
});

test("gzip is told by its content, and a broken file throws", async () => {
  writeFileSync(join(dir, "packed.txt"), gzipSync("one\ntwo\n"));
  expect((await Array.fromAsync(readLines(fileBytes(join(dir, "packed.txt"))))).map(({ text }) => text)).toEqual(["one", "two"]);
  writeFileSync(join(dir, "cut.gz"), gzipSync("one\ntwo\n".repeat(1000)).subarray(0, 30));
  await expect(Array.fromAsync(fileBytes(join(dir, "cut.gz")))).rejects.toThrow("unexpected end of file");
});

test("quotes hide separators, doubled quotes and line ends", async () => {
  expect((await rows('a,"b, c",d\n1,"2 ""two""",3\nx,"y\nz",w\n')).map(({ fields }) => fields)).toEqual([
    ["a", "b, c", "d"],
    ["1", '2 "two"', "3"],
    ["x", "y\nz", "w"],
  ]);
});

test("a ragged record and a quote that never closes are reported alone", async () => {
  const found = await rows('a,b\n1,"2,3\nx,y,z\nx,y,z\n');
  expect(found.map(({ line, problem }) => [line, problem])).toEqual([
    [1, "line 1 has 2 fields instead of 3"],
    [2, "line 2 has a quote that is not closed"],
    [3, null],
    [4, null],
  ]);
});

function scattered(): AsyncIterable<Row> {
  return readDelimited(readLines(chunksOf(Buffer.from("a,1\nb,1\nb,2\na,2\nc,1\n"), 4)), { separator: ",", columns: 2 });
}

test("a group comes as soon as it is complete, wherever its rows stand", async () => {
  const groups = await Array.fromAsync(groupRows(scattered, (row) => row.fields[0] ?? ""));
  expect(groups.map(({ key, rows: found }) => [key, found.map(({ line }) => line)])).toEqual([
    ["b", [2, 3]],
    ["a", [1, 4]],
    ["c", [5]],
  ]);
});

test.each([1, 3, 1000])("the objects of a JSON array are found in chunks of %i bytes, braces in strings notwithstanding", async (size) => {
  const text = '[ {"a":"}{\\"","b":{"c":[1,2]}},\n {"å":2} , {"broken": ]}, {"last":true}, {"cut":';
  const found: Element[] = await Array.fromAsync(readJsonArray(chunksOf(Buffer.from(text), size)));
  expect(found.map((element) => element.text)).toEqual([
    '{"a":"}{\\"","b":{"c":[1,2]}}',
    '{"å":2}',
    '{"broken": ]}',
    '{"last":true}',
    '{"cut":',
  ]);
  expect(found.map(({ problem }) => problem)).toEqual([null, null, null, null, "element 5 breaks off at the end of the file"]);
});
