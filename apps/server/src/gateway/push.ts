import { Readable, addAbortSignal } from "node:stream";
import { Fault, Problem } from "@crossdock/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { z } from "zod";
import { compressionFault } from "../http/bodies.ts";
import { ApiError, logFailure, toApiError, toProblem } from "../errors/errors.ts";
import { readIdempotencyKey } from "../api/idempotency.ts";
import { singleHeaders } from "../masking/headers.ts";
import type { Point } from "../intake/directory.ts";
import type { Intake, IntakeAnswer } from "../intake/intake.ts";
import { createTurns } from "../intake/turns.ts";
import type { Door } from "./resolve.ts";
import { splitLines, streamInOrder, type Line } from "./ndjson.ts";

/** The answer to the sender of one message. */
export const PushAnswer = z
  .object({
    externalMessageId: z.string(),
    state: z.enum(["accepted", "unchanged", "rejected", "ignored"]),
    messageIds: z.array(z.string()),
    isDuplicate: z
      .boolean()
      .describe("The Idempotency-Key was seen before: the answer is about the first arrival, and nothing was written"),
    reasons: z.array(Fault),
  })
  .meta({ id: "PushAnswer" });
export type PushAnswer = z.infer<typeof PushAnswer>;

/** The answer to the sender of a batch, for each of its lines: what its message came to, or why it was not taken. */
export const LineAnswer = z
  .object({
    line: z.number().int().min(1),
    status: z.number().int().describe("As for a single message: 202, 200, or the error's"),
    ...PushAnswer.partial().shape,
    ...Problem.pick({ code: true, title: true, detail: true, errors: true }).partial().shape,
  })
  .meta({ id: "LineAnswer" });

/** Takes one message in and answers 202 when it changed something, 200 when there was nothing to do. */
export async function pushOne(intake: Intake, door: Door, point: Point, request: FastifyRequest, reply: FastifyReply): Promise<PushAnswer> {
  const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  checkEncoding(request);
  const answer = toAnswer(await intake.receive(arrival(door, point, singleHeaders(request.headers), body, readIdempotencyKey(request))));
  void reply.code(answer.state === "accepted" && !answer.isDuplicate ? 202 : 200);
  return answer;
}

/** Lines under way at once: enough to fill batches, few enough to bound what a stream holds in memory. */
const limits = {
  windowSize: 512,
  windowBytesMax: 16 * 1024 * 1024,
  waitingBytesMax: 8 * 1024 * 1024,
  bytesOf: ({ line }: PlacedLine) => ("bytes" in line ? line.bytes.length : 0),
};

type Streamed = { intake: Intake; bodyLimitBytes: number; closing: AbortSignal };

/**
 * Takes a stream of messages in, one per line, and streams a result per line in the same order, also while the sender pauses. Reads no faster than it can commit.
 * After a line that has to be sent again none is taken any more, so that older data never comes after newer.
 * Up to 8 MB of results wait for a sender that reads only after it has written everything; after that it has to read.
 * A batch that is under way when the process stops, or when its sender's right ends, breaks off without an end; it is sent again.
 */
export function pushStream(
  { intake, bodyLimitBytes: lineBytesMax, closing }: Streamed,
  door: Door,
  findPoint: () => Promise<Point>,
  request: FastifyRequest,
): Readable {
  checkEncoding(request);
  const keyOfStream = readIdempotencyKey(request);
  const headers = singleHeaders(request.headers);
  const source = request.body;
  if (!(source instanceof Readable)) throw new ApiError("bad-request");
  addAbortSignal(closing, source);

  let isFailureLogged = false;
  const nextTurn = createTurns();
  const receive = async ({ line, point, refusal }: PlacedLine): Promise<string> => {
    const key = keyOfStream === null ? null : `${keyOfStream} line ${line.number}`;
    const turn = nextTurn();
    try {
      if (point === null) throw refusal;
      if ("isTooLong" in line) throw new ApiError("too-large", { detail: `The line is longer than ${lineBytesMax} bytes.` });
      const answer = toAnswer(await intake.receive(arrival(door, point, headers, line.bytes, key), turn));
      return `${JSON.stringify({ line: line.number, status: answer.state === "accepted" && !answer.isDuplicate ? 202 : 200, ...answer })}\n`;
    } catch (error) {
      const apiError = toApiError(error, request);
      const { status, code, title, detail, errors } = toProblem(apiError, request.id);
      turn.row.hasFailed ||= status >= 500;
      // What fails one line fails the next million, too.
      if (status >= 500 && !isFailureLogged) logFailure(apiError, error, request);
      isFailureLogged ||= status >= 500;
      return `${JSON.stringify({ line: line.number, status, code, title, detail, errors })}\n`;
    } finally {
      turn.pass();
    }
  };
  return streamInOrder(placeLines(splitLines(source, lineBytesMax), findPoint), limits, receive);
}

/** A line with the integration point that it is for as it comes: a batch may last for hours. `refusal`: why it has none any more. */
type PlacedLine = { line: Line; point: Point; refusal: null } | { line: Line; point: null; refusal: unknown };

/** One after the other, so that no line overtakes one that waits for the configuration to be read anew. */
async function* placeLines(lines: AsyncIterable<Line>, findPoint: () => Promise<Point>): AsyncGenerator<PlacedLine> {
  for await (const line of lines) {
    yield await findPoint().then(
      (point): PlacedLine => ({ line, point, refusal: null }),
      (refusal: unknown): PlacedLine => ({ line, point: null, refusal }),
    );
  }
}

function arrival(
  door: Door,
  point: Point,
  headers: Record<string, string>,
  body: Buffer,
  key: string | null,
): Parameters<Intake["receive"]>[0] {
  return {
    point,
    channel: "gateway",
    entityType: door.entityType,
    headers,
    body,
    signature: "not-applicable",
    dedupeName: key === null ? null : `gateway ${door.entityType} ${key}`,
  };
}

/** Throws the error that answers a rejected message; the message is kept all the same, and the answer names its id. */
function toAnswer({ externalMessageId, state, messageIds, isDuplicate, reasons, fault, isKeyReused }: IntakeAnswer): PushAnswer {
  if (isKeyReused) throw new ApiError("idempotency-key-reused", { detail: `It was used for external message ${externalMessageId}.` });
  if (state !== "rejected") return { externalMessageId, state, messageIds, isDuplicate, reasons };
  const kept = `Kept as external message ${externalMessageId}.`;
  if (fault) throw new ApiError(fault.code, { detail: `${fault.message} ${kept}` });
  const isOfCanonical = reasons.some(({ path }) => /^\w+\[\d+\]/.test(path));
  const read = isOfCanonical ? " Paths like item[0] are in the canonical documents that it was read as." : "";
  throw new ApiError("rejected-message", { detail: kept + read, errors: reasons });
}

function checkEncoding(request: FastifyRequest): void {
  const fault = compressionFault(request);
  if (fault) throw fault;
  const charset = /charset="?([^";\s]+)/i.exec(request.headers["content-type"] ?? "")?.[1];
  if (charset !== undefined && !/^(utf-?8|us-ascii)$/i.test(charset)) {
    throw new ApiError("bad-encoding", { detail: `Send UTF-8; the content type says ${charset}.` });
  }
}
