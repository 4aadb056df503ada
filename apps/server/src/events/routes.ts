import type { ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { routes, type LiveEvent } from "@crossdock/contract";
import { accessTokenSeconds } from "../access-token.ts";
import { ApiError } from "../errors.ts";
import { addRoute } from "../route.ts";
import type { LiveEvents } from "./live-events.ts";

const heartbeatMs = 15_000;
const streamsMax = 2_000;
/** A reader that lags behind by this much is cut off; it comes back and resumes. */
const lagBytesMax = 64 * 1024;

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html). */
export function registerEvents(app: FastifyInstance, liveEvents: LiveEvents): void {
  const streams = new Set<ServerResponse>();
  const heartbeat = setInterval(() => {
    for (const stream of streams) stream.write(": \n\n");
  }, heartbeatMs);
  // Open streams would keep the server from closing.
  app.addHook("preClose", async () => {
    clearInterval(heartbeat);
    for (const stream of streams) stream.end();
  });

  addRoute(app, routes.streamEvents, ({ tenant: { tenantId }, request, reply }) => {
    if (streams.size >= streamsMax) throw new ApiError("unavailable", { retryAfterSeconds: 10 });
    reply.hijack();
    const stream = reply.raw;
    for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) stream.setHeader(name, value);
    stream.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" });
    const send = (id: string | null, event: LiveEvent): void => {
      stream.write(`${id === null ? "" : `id: ${id}\n`}data: ${JSON.stringify(event)}\n\n`);
      if (stream.writableLength > lagBytesMax) stream.destroy();
    };
    const lastEventId = request.headers["last-event-id"];
    stream.write("retry: 2000\n\n");
    if (typeof lastEventId === "string" && !liveEvents.isCurrent(tenantId, lastEventId))
      send(null, { type: "resync", at: new Date().toISOString() });
    const unsubscribe = liveEvents.subscribe(tenantId, send);
    // The right to listen is checked when a stream opens, so none may outlive the token that opened it.
    const end = setTimeout(() => stream.end(), accessTokenSeconds * 1000);
    streams.add(stream);
    stream.once("close", () => {
      unsubscribe();
      clearTimeout(end);
      streams.delete(stream);
    });
    return "";
  });
}
