import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type { Permission } from "@crossdock/contract";
import type { FastifyReply } from "fastify";

type Streamed = {
  headers: Record<string, string>;
  /** Pieces of the answer. `stop` aborts when the caller hangs up or the process closes. */
  read: (stop: AbortSignal) => AsyncIterable<string>;
  closing: AbortSignal;
  /** What the answer takes besides the route's permission. */
  right: Permission | null;
};

/**
 * Answers piece by piece, no faster than the caller reads. When the caller hangs up or loses the right to the answer, the reading ends. An
 * error before the first piece is thrown and answered like any other; a later one breaks the answer off.
 */
export async function streamAnswer(reply: FastifyReply, { headers, read, closing, right }: Streamed): Promise<void> {
  const stream = reply.raw;
  const hungUp = new AbortController();
  const unwatch = reply.server.watchAccess(reply.request, () => breakOff(stream), { right });
  onceClosed(stream, () => {
    unwatch();
    hungUp.abort();
  });
  const stop = AbortSignal.any([hungUp.signal, closing]);
  const pieces = read(stop)[Symbol.asyncIterator]();
  let piece: IteratorResult<string>;
  try {
    piece = await pieces.next();
  } catch (error) {
    if (!stop.aborted) throw error;
    reply.hijack();
    breakOff(stream);
    return;
  }
  reply.hijack();
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) stream.setHeader(name, value);
  stream.writeHead(200, { "cache-control": "no-store", "x-accel-buffering": "no", ...headers });
  try {
    for (; !piece.done; piece = await pieces.next()) {
      await write(stream, piece.value, stop);
      stop.throwIfAborted();
    }
    stream.end();
  } catch (error) {
    breakOff(stream);
    if (!stop.aborted) throw error;
  }
}

/** A caller may take so long over a piece of the answer, and a second more for each 10,000 characters: an answer keeps what others wait for. */
const pieceMsMax = 60_000;
const charactersPerMs = 10;

/** Waits while the caller reads more slowly than we do, until `stop`. One who has all but stopped is hung up on. */
async function write(stream: ServerResponse, text: string, stop: AbortSignal): Promise<void> {
  if (stream.write(text) || stream.destroyed) return;
  const late = setTimeout(() => breakOff(stream), pieceMsMax + text.length / charactersPerMs);
  const isOver = new AbortController();
  const signal = AbortSignal.any([isOver.signal, stop]);
  // Whichever comes first; the other one's listener must not stay.
  await Promise.race([once(stream, "drain", { signal }), once(stream, "close", { signal })]).finally(() => {
    clearTimeout(late);
    isOver.abort();
  });
}

/** Ends an answer so that nobody takes it for whole: in HTTP/1.0, as many a proxy speaks it, its end is that of the connection, unless that is reset. */
function breakOff(stream: ServerResponse): void {
  const { socket } = stream;
  // A request that tests inject has none that could be reset.
  if (socket && "resetAndDestroy" in socket) socket.resetAndDestroy();
  stream.destroy();
}

/** Calls `work` when the connection is gone. It may be so already: a caller may hang up while his rights are looked at. */
export function onceClosed(stream: ServerResponse, work: () => void): void {
  if (stream.destroyed) work();
  else stream.once("close", work);
}
