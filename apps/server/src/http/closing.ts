import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors/errors.ts";

/**
 * A request that comes while the process stops is to be sent again, to another process or after the restart. The server's close waits for all connections
 * but ends only those that are idle as it begins; here the others are ended once they have their answer, as a proxy would keep them for a minute. Node takes
 * for idle whose answer is ready, though its caller may still read it, so nothing is ended while somebody does. One whose request has not wholly come, or
 * whose answer is not wholly read, after `lateMsMax` is cut off: Node's own time limits end with the close, and the rest may never come. It is reset, as in
 * HTTP/1.0 an answer ends with its connection and would be taken for whole.
 */
export function refuseWhenClosing(app: FastifyInstance, lateMsMax: number): void {
  let isClosing = false;
  let sweep: NodeJS.Timeout | undefined;
  let late: NodeJS.Timeout | undefined;
  const sockets = new Set<Socket>();
  /** To the newest request of a connection. Not Fastify's, which would keep the request's body for as long as the connection is kept alive. */
  const answers = new WeakMap<Socket, ServerResponse>();
  const cutOff = (): void => {
    for (const socket of sockets) if (!isAtWork(answers.get(socket))) socket.resetAndDestroy();
  };
  const isBeingRead = (): boolean => [...sockets].some((socket) => isUnread(answers.get(socket)));
  app.server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  app.addHook("preClose", async () => {
    isClosing = true;
    late = setInterval(cutOff, lateMsMax);
    await new Promise<void>((resolve) => {
      sweep = setInterval(() => {
        if (isBeingRead()) return;
        app.server.closeIdleConnections();
        resolve();
      }, 50);
    });
  });
  app.addHook("onClose", async () => {
    clearInterval(sweep);
    clearInterval(late);
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

/** Ready as a whole, and not wholly handed to the network. */
const isUnread = (answer: ServerResponse | undefined): boolean => answer !== undefined && answer.writableEnded && !answer.writableFinished;
