import { once } from "node:events";
import { text } from "node:stream/consumers";
import { setImmediate as nextTurn } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { splitLines, streamInOrder, type Line } from "./ndjson.ts";

async function* chunksOf(bytes: Buffer, size: number): AsyncGenerator<Buffer> {
  for (let begin = 0; begin < bytes.length; begin += size) yield bytes.subarray(begin, begin + size);
}

async function lines(text: string, chunkSize: number, bytesMax = 1_000): Promise<(string | null)[]> {
  const found: Line[] = [];
  for await (const line of splitLines(chunksOf(Buffer.from(text), chunkSize), bytesMax)) found.push(line);
  return found.map((line) => ("bytes" in line ? `${line.number}:${line.bytes.toString()}` : `${line.number}:too long`));
}

test.each([1, 2, 3, 7, 100])("lines survive chunks of %i bytes, which cut characters in half", async (chunkSize) => {
  expect(await lines('{"å":1}\n\n \t\r\n{"é":2}\r\nlast', chunkSize)).toEqual(['1:{"å":1}', '4:{"é":2}\r', "5:last"]);
});

test("a line that is too long is named, and the next one is read", async () => {
  const longest = "x".repeat(20);
  expect(await lines(`${longest}\n${longest}x\n${longest.repeat(3)}\nb\n`, 8, 20)).toEqual([
    `1:${longest}`,
    "2:too long",
    "3:too long",
    "4:b",
  ]);
});

afterEach(() => vi.useRealTimers());

const limits = { windowBytesMax: 1000, waitingBytesMax: 1000, bytesOf: () => 1 };

test("results come in the order of the inputs, and no more than the window is under way", async () => {
  let underWay = 0;
  let most = 0;
  const inputs = (async function* () {
    yield* [30, 1, 20, 1, 10, 1];
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 3 }, async (turns) => {
    underWay += 1;
    most = Math.max(most, underWay);
    for (let turn = 0; turn < turns; turn += 1) await new Promise(setImmediate);
    underWay -= 1;
    return `${turns} `;
  });
  expect(await text(results)).toBe("30 1 20 1 10 1 ");
  expect(most).toBe(3);
});

test("inputs wait for those before them while these have the bytes of the window, and one that is larger is alone", async () => {
  const underWay: number[] = [];
  const seen: number[][] = [];
  const inputs = (async function* () {
    yield* [4, 6, 1, 30, 9, 2];
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 6, windowBytesMax: 10, bytesOf: (bytes) => bytes }, async (bytes) => {
    underWay.push(bytes);
    seen.push([...underWay]);
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
    underWay.splice(underWay.indexOf(bytes), 1);
    return `${bytes} `;
  });
  expect(await text(results)).toBe("4 6 1 30 9 2 ");
  expect(seen).toEqual([[4], [4, 6], [6, 1], [30], [9], [2]]);
});

test("a result leaves while the next input is still awaited", async () => {
  const last = Promise.withResolvers<number>();
  const inputs = (async function* () {
    yield 1;
    yield 2;
    yield last.promise;
  })();
  const pieces = streamInOrder(inputs, { ...limits, windowSize: 10 }, (input) => Promise.resolve(`${input} `))[Symbol.asyncIterator]();
  let got = "";
  while (got.length < 4) got += (await pieces.next()).value;
  expect(got).toBe("1 2 ");
  last.resolve(3);
  expect((await pieces.next()).value.toString()).toBe("3 ");
  expect((await pieces.next()).done).toBe(true);
});

test("inputs that come in time make no pause, however long they come", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const inputs = (async function* () {
    for (const input of [1, 2, 3, 4]) {
      yield input;
      await nextTurn();
      vi.advanceTimersByTime(200);
    }
  })();
  const pieces = await streamInOrder(inputs, { ...limits, windowSize: 4 }, (input) => Promise.resolve(`${input} `)).toArray();
  expect(pieces.map(String)).toEqual(["1 2 3 4 "]);
});

test("from the first pause on each result leaves at once, and reading stops while nobody takes them", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let read = 0;
  const inputs = (async function* () {
    for (; read < 200; read += 1) {
      yield read;
      for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      if (read === 0) vi.advanceTimersByTime(250);
    }
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4, waitingBytesMax: 30 }, (input) => Promise.resolve(`${input}\n`));
  const first: string[] = [];
  results.on("data", (piece) => {
    first.push(String(piece));
    if (first.length === 3) results.pause();
  });
  await once(results, "pause");
  expect(first).toEqual(["0\n", "1\n", "2\n"]);
  for (let turn = 0; turn < 1000; turn += 1) await nextTurn();
  expect(read).toBeLessThan(100);
  results.destroy();
});

test("inputs are left alone once the work on one has failed, also while the next waits for room", async () => {
  const left = Promise.withResolvers<void>();
  const inputs = (async function* () {
    try {
      yield* [6, 6];
    } finally {
      left.resolve();
    }
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4, windowBytesMax: 10, bytesOf: (bytes) => bytes }, async () => {
    await nextTurn();
    throw new Error("broke off");
  });
  await expect(text(results)).rejects.toThrow("broke off");
  await left.promise;
});

test("no result leaves while inputs keep coming, until as much waits as may", async () => {
  let read = 0;
  const inputs = (async function* () {
    for (; read < 50; read += 1) {
      yield read;
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    }
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4, waitingBytesMax: 120 }, () => Promise.resolve("1 2\n"));
  const readAt: number[] = [];
  results.on("data", () => readAt.push(read));
  await once(results, "end");
  expect(readAt[0]).toBeGreaterThanOrEqual(29);
  expect(readAt[0]).toBeLessThan(40);
});

test("what was done before the inputs fail is told", async () => {
  const inputs = (async function* () {
    yield 1;
    await new Promise(setImmediate);
    throw new Error("broke off");
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4 }, (input) => Promise.resolve(`${input} `));
  const told: string[] = [];
  results.on("data", (piece) => told.push(String(piece)));
  await once(results, "error");
  expect(told).toEqual(["1 "]);
});

test("reading stops while nobody takes the results, and goes on when somebody does", async () => {
  let read = 0;
  const inputs = (async function* () {
    while (read < 1000) {
      read += 1;
      yield read;
    }
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4, waitingBytesMax: 10 }, (input) => Promise.resolve(`${input}\n`));
  for (let turn = 0; turn < 100; turn += 1) await new Promise(setImmediate);
  expect(read).toBeLessThan(100);
  expect((await text(results)).split("\n")).toHaveLength(1001);
});

test("what fails while the inputs are read ends the results with that failure", async () => {
  const inputs = (async function* () {
    yield 1;
    throw new Error("broke off");
  })();
  const results = streamInOrder(inputs, { ...limits, windowSize: 4 }, (input) => Promise.resolve(`${input} `));
  await expect(text(results)).rejects.toThrow("broke off");
});
