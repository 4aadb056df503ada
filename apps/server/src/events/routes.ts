import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes, type LiveEvent } from "@crossdock/contract";
import { concerns } from "../access/access.ts";
import { accessTokenSeconds } from "../access/access-token.ts";
import { ApiError } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { createSlots, type Slots } from "../http/slots.ts";
import { onceClosed } from "../http/streaming.ts";
import type { LiveEvents } from "./live-events.ts";

const heartbeatMs = 15_000;
const streamsMax = 2_000;
/** A reader that lags behind by this much is cut off; it comes back and resumes. */
const lagBytesMax = 64 * 1024;

declare module "fastify" {
  interface FastifyInstance {
    liveStreams: Slots;
  }
}

/** An open stream, and the request that it answers, by which the right to listen is checked again. */
type Stream = { request: FastifyRequest; write: (text: string) => void; end: () => void };

const textOf = (event: LiveEvent): string => `data: ${JSON.stringify(event)}\n\n`;

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function registerEvents(app: FastifyInstance, liveEvents: LiveEvents): void {
  const streams = new Set<Stream>();
  app.decorate("liveStreams", createSlots(streamsMax, 10));
  const heartbeat = setInterval(() => {
    for (const { write } of streams) write(": \n\n");
  }, heartbeatMs);
  let isClosing = false;
  // Open streams would keep the server from closing.
  app.addHook("preClose", async () => {
    isClosing = true;
    clearInterval(heartbeat);
    for (const { end } of streams) end();
  });

  /** Ends the streams of those who have lost the right to them; the other streams affected are told that rights have changed. */
  liveEvents.onAccessChange((change) => {
    for (const { request, write, end } of streams) {
      if (!concerns(change, request)) continue;
      app.authorise(request).then(
        () => change.kind !== "all" && write(textOf({ type: "access-changed", at: new Date().toISOString() })),
        () => end(),
      );
    }
  });

  addRoute(app, routes.streamEvents, ({ tenant: { tenantId }, principal, request, reply }) => {
    if (isClosing) throw new ApiError("unavailable", { retryAfterSeconds: 10 });
    const free = app.liveStreams.take(tenantId, principal);
    reply.hijack();
    const stream = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) stream.setHeader(name, value);
    stream.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" });
    const write = (text: string): void => {
      // A reader that has gone takes the end later or never; writing after the end would raise an error that nobody handles.
      if (stream.writableEnded) return;
      stream.write(text);
      if (stream.writableLength > lagBytesMax) stream.destroy();
    };
    const end = (): void => void stream.end();
    const lastEventId = request.headers["last-event-id"];
    write("retry: 2000\n\n");
    if (typeof lastEventId === "string" && !liveEvents.isCurrent(tenantId, lastEventId))
      write(textOf({ type: "resync", at: new Date().toISOString() }));
    const unsubscribe = liveEvents.subscribe(tenantId, (id, event) => write(`id: ${id}\n${textOf(event)}`));
    // The right to listen is checked when a stream opens, so none may outlive the token that opened it.
    const timer = setTimeout(end, accessTokenSeconds * 1000);
    const open: Stream = { request, write, end };
    streams.add(open);
    onceClosed(stream, () => {
      unsubscribe();
      free();
      clearTimeout(timer);
      streams.delete(open);
    });
    return "";
  });
}
