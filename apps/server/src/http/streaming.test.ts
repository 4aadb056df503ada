import { PassThrough } from "node:stream";
import type { FastifyReply } from "fastify";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { streamAnswer } from "./streaming.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

async function* read(): AsyncGenerator<string> {
  for (;;) yield "x".repeat(100_000);
}

/** An answer that goes on without end, to a caller who reads when `stream` is read. */
function answerEndlessly() {
  const stream = Object.assign(new PassThrough(), { setHeader: () => undefined, writeHead: () => undefined });
  const reply: unknown = {
    raw: stream,
    request: {},
    server: { watchAccess: () => () => undefined },
    hijack: () => undefined,
    getHeaders: () => ({}),
  };
  const closing = new AbortController();
  const answered = streamAnswer(reply as FastifyReply, { headers: {}, read, closing: closing.signal, right: null });
  return { stream, answered, close: () => closing.abort() };
}

test("a caller who stops reading is hung up on, and the answer ends", async () => {
  const { stream, answered } = answerEndlessly();
  await vi.advanceTimersByTimeAsync(69_000);
  expect(stream.destroyed).toBe(false);
  await vi.advanceTimersByTimeAsync(2_000);
  expect(stream.destroyed).toBe(true);
  await answered;
});

test("one who has stopped reading does not hold up the stop of the server", async () => {
  const { stream, answered, close } = answerEndlessly();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(stream.writableNeedDrain).toBe(true);
  close();
  await vi.advanceTimersByTimeAsync(0);
  expect(stream.destroyed).toBe(true);
  await answered;
});

test("one who is slow, and takes each piece in time, is not", async () => {
  const { stream, answered } = answerEndlessly();
  for (let piece = 0; piece < 5; piece += 1) {
    stream.read();
    await vi.advanceTimersByTimeAsync(69_000);
  }
  expect(stream.destroyed).toBe(false);
  stream.destroy();
  await answered;
});
