import { expect, test } from "vitest";
import { inOrder, splitLines, type Line } from "./ndjson.ts";

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size);
}

async function lines(text: string, chunkSize: number, bytesMax = 1_000): Promise<(string | null)[]> {
  const found: Line[] = [];
  for await (const line of splitLines(chunksOf(Buffer.from(text), chunkSize), bytesMax)) found.push(line);
  return found.map((line) => ("bytes" in line ? `${line.number}:${line.bytes.toString()}` : `${line.number}:too long`));
}

test.each([1, 2, 3, 7, 100])("lines survive chunks of %i bytes, which cut characters in half", async (chunkSize) => {
  expect(await lines('{"å":1}\n\n  \r\n{"é":2}\r\nlast', chunkSize)).toEqual(['1:{"å":1}', '4:{"é":2}\r', "5:last"]);
});

test("a line that is too long is named, and the next one is read", async () => {
  expect(await lines(`a\n${"x".repeat(50)}\nb\n`, 8, 20)).toEqual(["1:a", "2:too long", "3:b"]);
});

test("results come in the order of the inputs, and no more than the window is under way", async () => {
  let underWay = 0;
  let most = 0;
  const inputs = (async function* () {
    yield* [30, 1, 20, 1, 10, 1];
  })();
  const results: number[] = [];
  for await (const result of inOrder(inputs, 3, async (turns) => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    underWay -= 1;
    return turns;
  })) {
    results.push(result);
  }
  expect(results).toEqual([30, 1, 20, 1, 10, 1]);
  expect(most).toBe(3);
});

test("reading stops while nobody takes the results", async () => {
  let read = 0;
  const inputs = (async function* () {
    for (;;) {
      read += 1;
      yield read;
    }
  })();
  const results = inOrder(inputs, 4, (input) => Promise.resolve(input));
  await results.next();
  await new Promise(setImmediate);
  expect(read).toBe(4);
  await results.return(undefined);
});
