import { connect } from "node:net";
import { PassThrough } from "node:stream";
import fastify, { type FastifyReply } from "fastify";
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

/** What becomes of a request of this version whose answer is broken off after its first piece: what came, and whether it passes for whole. */
async function askAndBreakOff(version: string) {
  vi.useRealTimers();
  const app = fastify();
  const closing = new AbortController();
  app.decorate("watchAccess", () => () => undefined);
  app.get("/", (_request, reply) => {
    const pieces = async function* () {
      yield "first piece\n";
      await new Promise((resolve) => closing.signal.addEventListener("abort", resolve));
      yield "second piece\n";
    };
    return streamAnswer(reply, { headers: {}, read: pieces, closing: closing.signal, right: null });
  });
  const { port } = new URL(await app.listen({ host: "127.0.0.1", port: 0 }));
  const socket = connect(Number(port), "127.0.0.1");
  socket.write(`GET / HTTP/${version}\r\nhost: a\r\n\r\n`);
  let text = "";
  socket.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (text.includes("first piece")) closing.abort();
  });
  const end = await new Promise<string>((resolve) => {
    socket.once("end", () => resolve("end"));
    socket.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
  });
  await app.close();
  return { end, text };
}

test("an answer that is broken off never passes for whole, not even where the end of the connection is the answer's", async () => {
  const { text } = await askAndBreakOff("1.1");
  expect(text).toContain("Transfer-Encoding: chunked");
  expect(text.endsWith("0\r\n\r\n")).toBe(false);
  expect(await askAndBreakOff("1.0")).toMatchObject({ end: "ECONNRESET", text: expect.stringContaining("first piece") });
});
