import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { hasZodFastifySchemaValidationErrors } from "fastify-type-provider-zod";
import { errorCodes, type ErrorCode, type Fault, type Problem, type RefusalReason } from "@crossdock/contract";
import type { z } from "zod";
import { because, faultsOf } from "./faults.ts";
import { createTally } from "../log.ts";

type Extras = {
  /** Shown to the caller; says what was wrong with this one request. */
  detail?: string;
  /** The sentence's name and the values in it, for other languages: `because` in faults.ts. */
  reason?: RefusalReason;
  values?: Record<string, string | number>;
  errors?: Fault[];
  /** The object as it is now, where the request was based on an older version. */
  current?: Record<string, unknown>;
  /** The field that the first clients read, e.g. 'Token is not valid'. */
  msg?: string;
  retryAfterSeconds?: number;
  /** Whether it is kept as a refusal in the audit log, where the code alone says otherwise. The caller is not told. */
  isDenial?: boolean;
  /** For a refused sign-in or session: whose it was, null where nobody is known. Kept in the audit log; the caller is not told. */
  attempt?: { userId: number | null; after?: Record<string, unknown> };
  cause?: unknown;
};

/** The one error that handlers throw. Its status and public title stand in the contract's table. */
export class ApiError extends Error {
  override name = "ApiError";
  readonly code: ErrorCode;
  readonly extras: Extras;

  constructor(code: ErrorCode, extras: Extras = {}) {
    super(extras.detail ?? errorCodes[code].title, { cause: extras.cause });
    this.code = code;
    this.extras = extras;
  }
}

/** The code of an error of PostgreSQL (SQLSTATE), the system or a library; empty if it has none. */
export function codeOf(error: unknown): string {
  return typeof error === "object" && error !== null && "code" in error && typeof error.code === "string" ? error.code : "";
}

/** It is missing or another tenant's: the two are answered alike. */
export const notFound = (): ApiError => new ApiError("not-found");

/** Codes of Fastify's own errors that are the caller's fault. */
const fastifyErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_INVALID_JSON_BODY: "bad-json",
  FST_ERR_CTP_EMPTY_JSON_BODY: "bad-json",
  FST_ERR_CTP_BODY_TOO_LARGE: "too-large",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "media-type-unsupported",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "bad-request",
  FST_ERR_BAD_URL: "bad-request",
  // Nothing has an id that long.
  FST_ERR_MAX_PARAM_LENGTH: "not-found",
};

/** SQLSTATEs for numbers and times beyond what PostgreSQL can hold: they can only have come from the request. */
const outOfRangeCodes = new Set(["22003", "22007", "22008", "22009"]);

/**
 * SQLSTATEs of a database that is stopping or starting, is read-only (e.g. a standby), has no room (class 53) or a failing disk, had two
 * transactions in each other's way, or ended a connection that was idle, or in a transaction, for longer than it may.
 */
const awayStates = /^(57P0[1235]|25P0[34]|53\w{3}|58030|25006|40001|40P01|55P03)$/;

const noConnection = new Set("ECONNREFUSED ECONNRESET EPIPE ETIMEDOUT EHOSTUNREACH ENETUNREACH ENOTFOUND EAI_AGAIN".split(" "));

/** Errors of a connection to a socket whose server has ended, or has too many connections waiting. */
const socketGone = new Set(["ENOENT", "EAGAIN"]);

const isConnect = (error: unknown): boolean => error instanceof Error && "syscall" in error && error.syscall === "connect";

/** The driver's own errors have no code. */
const driverErrors = /^Connection terminated|^timeout exceeded when trying to connect|^Query read timeout$|is not queryable$/;

/** Whether a statement failed for a temporary reason: nothing was changed, and the same statement may succeed later. */
export function isDatabaseAway(error: unknown): boolean {
  const code = codeOf(error);
  if (code !== "") return awayStates.test(code) || noConnection.has(code) || (isConnect(error) && socketGone.has(code));
  return error instanceof Error && driverErrors.test(error.message);
}

/** Whether the database's disk has no room for a write, or fails. */
export function diskFaultOf(error: unknown): "no-writes-disk-full" | "no-writes-disk-fails" | undefined {
  const code = codeOf(error);
  if (code === "53100") return "no-writes-disk-full";
  return code === "58030" ? "no-writes-disk-fails" : undefined;
}

/** A statement took longer than it may: it, or the load of the moment, is at fault. */
const tookTooLong = "57014";

/** Whether the same work may succeed later, although the database is there: something was in its way. */
export function mayPass(error: unknown): boolean {
  return codeOf(error) === tookTooLong || (error instanceof ApiError && error.code === "unavailable");
}

/** The caller hung up before its request was through: nobody reads the answer, and nothing here is at fault. */
function hasHungUp(error: unknown, request: FastifyRequest): boolean {
  return ["ERR_STREAM_PREMATURE_CLOSE", "ECONNRESET", "EPIPE"].includes(codeOf(error)) && request.raw.socket.destroyed;
}

/** Whatever was thrown, as the error to answer with. */
export function toApiError(error: unknown, request: FastifyRequest): ApiError {
  if (error instanceof ApiError) return error;
  if (hasHungUp(error, request)) return new ApiError("bad-request", { detail: "The request broke off.", cause: error });
  if (hasZodFastifySchemaValidationErrors(error)) {
    const errors = error.validation.flatMap(({ keyword, params, instancePath, message = "invalid" }) => {
      const at = `${error.validationContext ?? ""}${instancePath}`;
      // As the schema said it, before it was made an issue of Fastify.
      const issue = { ...params, code: keyword, message, path: [] } as unknown as z.core.$ZodIssue;
      return faultsOf([issue], (path) => (path.length === 0 ? at : [at.replace(/\/$/, ""), ...path].map(String).join("/")));
    });
    return new ApiError("validation-failed", { errors });
  }
  const { code, statusCode } = error as Partial<FastifyError>;
  const known = code === undefined ? undefined : fastifyErrors[code];
  if (known) return new ApiError(known);
  // PostgreSQL refuses NUL in text, and its escape in jsonb; it can only have come from the request.
  if (code === "22021" || code === "22P05") return new ApiError("nul-character");
  if (code !== undefined && outOfRangeCodes.has(code)) return new ApiError("bad-request", because("number-out-of-range"));
  const diskFault = diskFaultOf(error);
  if (diskFault) return new ApiError("unavailable", { ...because(diskFault), retryAfterSeconds: 5, cause: error });
  if (isDatabaseAway(error) || mayPass(error)) return new ApiError("unavailable", { retryAfterSeconds: 5, cause: error });
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) return new ApiError("bad-request", { cause: error });
  return new ApiError("internal", { cause: error });
}

export function toProblem(error: ApiError, requestId: string): Problem {
  const { status, title } = errorCodes[error.code];
  const { detail, reason, values, errors, msg, current } = error.extras;
  return {
    type: `urn:crossdock:error:${error.code}`,
    title,
    status,
    code: error.code,
    ...(detail === undefined ? {} : { detail }),
    ...(reason === undefined ? {} : { reason }),
    ...(values === undefined ? {} : { values }),
    requestId,
    ...(msg === undefined ? {} : { msg }),
    ...(current === undefined ? {} : { current }),
    ...(errors === undefined ? {} : { errors }),
  };
}

/** Answers every error as problem+json (RFC 9457). What is our fault is logged with its cause and told to nobody else. */
export function handleError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const apiError = toApiError(error, request);
  const problem = toProblem(apiError, request.id);
  if (problem.status >= 500) logFailure(apiError, error, request);
  if (apiError.extras.retryAfterSeconds !== undefined) void reply.header("retry-after", String(apiError.extras.retryAfterSeconds));
  if (problem.status === 401) void reply.header("www-authenticate", "Bearer");
  return reply.code(problem.status).type("application/problem+json; charset=utf-8").send(problem);
}

/** Of each server, the requests that found the database away. */
const tallies = new WeakMap<object, () => number | null>();

function tallyOf(server: object): number | null {
  const tally = tallies.get(server) ?? createTally();
  tallies.set(server, tally);
  return tally();
}

/**
 * A fault of ours is an error; a part that is away, a warning. While the database is away every request fails: of these one line a minute tells
 * how many. What was refused on purpose has no cause.
 */
export function logFailure({ code, extras: { cause, detail } }: ApiError, thrown: unknown, request: FastifyRequest): void {
  const line = { requestId: request.id, method: request.method, route: request.routeOptions.url };
  if (code === "internal") request.log.error({ ...line, err: cause ?? thrown }, "a request failed");
  else if (cause !== undefined) {
    const failures = isDatabaseAway(cause) ? tallyOf(request.server) : 1;
    if (failures !== null) request.log.warn({ ...line, err: cause, failures }, "a request found something unavailable");
  }
  // Maintenance refuses whatever is asked, and whoever switched it on knows.
  else request.log[code === "maintenance" ? "debug" : "info"]({ ...line, code, detail }, "a request was refused for now");
}
