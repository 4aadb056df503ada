import type { FastifyInstance } from "fastify";
import { routes, type LiveEvent } from "@crossdock/contract";
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

type Stream = { write: (text: string) => void; end: () => void };

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
    const unwatch = app.watchAccess(request, end, {
      onKept: ({ kind }) => kind !== "all" && write(textOf({ type: "access-changed", at: new Date().toISOString() })),
    });
    const open: Stream = { write, end };
    streams.add(open);
    onceClosed(stream, () => {
      unsubscribe();
      unwatch();
      free();
      clearTimeout(timer);
      streams.delete(open);
    });
    return "";
  });
}
