import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors/errors.ts";

/**
 * A request that comes while the process stops is to be sent again, to another process or after the restart. The server's close waits for all connections
 * but ends only those that are idle as it begins; here the others are ended once they have their answer, as a proxy would keep them for a minute. One whose
 * request has not wholly come after `lateMsMax` is cut off: Node's own time limits end with the close, and its rest may never come.
 */
export function refuseWhenClosing(app: FastifyInstance, lateMsMax: number): void {
  let isClosing = false;
  let sweep: NodeJS.Timeout | undefined;
  let late: NodeJS.Timeout | undefined;
  const sockets = new Set<Socket>();
  /** To the newest request of a connection. Not Fastify's, which would keep the request's body for as long as the connection is kept alive. */
  const answers = new WeakMap<Socket, ServerResponse>();
  const cutOff = (): void => {
    for (const socket of sockets) if (!isAtWork(answers.get(socket))) socket.destroy();
  };
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", async () => {
    isClosing = true;
    sweep = setInterval(() => app.server.closeIdleConnections(), 50);
    late = setTimeout(cutOff, lateMsMax);
  });
  app.addHook("onClose", async () => {
    clearInterval(sweep);
    clearTimeout(late);
  });
  app.addHook("onRequest", async (request, reply) => {
    answers.set(request.raw.socket, reply.raw);
    if (isClosing) throw new ApiError("unavailable", { detail: "The server is stopping.", retryAfterSeconds: 1 });
  });
  // Requests let in before are still answered, and told that the connection ends with the answer.
  app.addHook("onSend", (_request, reply, payload, done) => {
    if (isClosing) void reply.header("connection", "close");
    done(null, payload);
  });
}

const isAtWork = (answer: ServerResponse | undefined): boolean => answer !== undefined && answer.req.complete && !answer.writableEnded;
