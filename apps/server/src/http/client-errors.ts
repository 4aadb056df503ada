import { randomUUID } from "node:crypto";
import { STATUS_CODES, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { FastifyInstance, FastifyReply } from "fastify";
import { errorCodes, type ErrorCode } from "@crossdock/contract";
import { ApiError, codeOf, toProblem } from "../errors/errors.ts";

/** Of answers that no browser is meant to show as a page: should one do so, nothing in them runs or is framed. */
const bareHeaders = {
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
};

export function addBareHeaders(reply: FastifyReply): void {
  void reply.headers(bareHeaders);
}

const knownCodes: Record<string, ErrorCode> = { HPE_HEADER_OVERFLOW: "headers-too-large", ERR_HTTP_REQUEST_TIMEOUT: "request-too-slow" };

/** Answers what Node itself refuses, before there is a request, in the same form as everything else. */
export function answerClientError(error: Error, socket: Socket): void {
  // Whoever has hung up hears no answer.
  if (codeOf(error) === "ECONNRESET" || socket.destroyed || !socket.writable || hasBegunToAnswer(socket)) return void socket.destroy();
  const code = knownCodes[codeOf(error)] ?? "bad-request";
  const { status } = errorCodes[code];
  const requestId = randomUUID();
  const body = JSON.stringify(toProblem(new ApiError(code), requestId));
  const headers = {
    ...bareHeaders,
    "x-request-id": requestId,
    "content-type": "application/problem+json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
}

/** An answer under way would get this one written into its body. Node's own handler asks in the same way. */
function hasBegunToAnswer(socket: Socket): boolean {
  const answer: unknown = Reflect.get(socket, "_httpMessage");
  return answer instanceof ServerResponse && answer.headersSent;
}

/**
 * Node takes the first of several, and whatever stands in front of us maybe another one
 * (https://www.rfc-editor.org/rfc/rfc9112#section-3.2).
 */
export function refuseSecondHost(app: FastifyInstance): void {
  app.addHook("onRequest", async ({ raw: { rawHeaders } }) => {
    const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
    if (hosts.length > 1) throw new ApiError("bad-request", { detail: "The request names its host more than once." });
  });
}
