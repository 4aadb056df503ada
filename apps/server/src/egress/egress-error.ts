import { errors } from "undici";
import { codeOf } from "../errors/errors.ts";

/** Why a request got no usable answer. The words are shown to operators and group dead letters. */
export type EgressFault =
  | "address-refused"
  | "invalid-request"
  | "name-not-found"
  | "connection-failed"
  | "connection-lost"
  | "tls-failed"
  | "timeout"
  | "answer-too-large"
  | "answer-malformed"
  | "aborted";

/** Faults that another try cannot mend: the request itself, or where it points, is wrong. */
const permanentFaults: ReadonlySet<EgressFault> = new Set(["address-refused", "invalid-request"]);

export class EgressError extends Error {
  readonly fault: EgressFault;

  constructor(fault: EgressFault, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = "EgressError";
    this.fault = fault;
  }

  get isPermanent(): boolean {
    return permanentFaults.has(this.fault);
  }
}

/** System and undici error codes by what they mean to the operator. */
const faultsByCode: Record<string, EgressFault> = {
  ENOTFOUND: "name-not-found",
  EAI_AGAIN: "name-not-found",
  EAI_FAIL: "name-not-found",
  ENODATA: "name-not-found",
  ECONNREFUSED: "connection-failed",
  EHOSTUNREACH: "connection-failed",
  ENETUNREACH: "connection-failed",
  EADDRNOTAVAIL: "connection-failed",
  ECONNRESET: "connection-lost",
  EPIPE: "connection-lost",
  UND_ERR_SOCKET: "connection-lost",
  ETIMEDOUT: "timeout",
  UND_ERR_CONNECT_TIMEOUT: "timeout",
  UND_ERR_HEADERS_TIMEOUT: "timeout",
  UND_ERR_BODY_TIMEOUT: "timeout",
  UND_ERR_RES_EXCEEDED_MAX_SIZE: "answer-too-large",
  UND_ERR_HEADERS_OVERFLOW: "answer-too-large",
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: "answer-malformed",
  UND_ERR_INVALID_ARG: "invalid-request",
  UND_ERR_REQ_CONTENT_LENGTH_MISMATCH: "invalid-request",
};

/** Gives whatever undici, DNS, TLS or the socket threw the name of a fault. */
export function toEgressError(error: unknown): EgressError {
  if (error instanceof EgressError) return error;
  // Several addresses failed one after the other: the first failure stands for them all.
  if (error instanceof AggregateError && error.errors.length > 0) return toEgressError(error.errors[0]);
  const code = codeOf(error);
  // undici's parser errors often carry no code.
  if (error instanceof errors.HTTPParserError) return new EgressError("answer-malformed", error.message, error);
  // Some of what no server may send, such as the status 000, only fails an assertion of undici.
  if (code === "ERR_ASSERTION") return new EgressError("answer-malformed", "The answer breaks the rules of HTTP.", error);
  const message = error instanceof Error ? error.message : String(error);
  return new EgressError(faultsByCode[code] ?? faultByFamily(code), message || code, error);
}

function faultByFamily(code: string): EgressFault {
  if (/^ERR_(TLS|SSL)_|CERT|SELF_SIGNED|UNABLE_TO_/.test(code)) return "tls-failed";
  return "connection-lost";
}
