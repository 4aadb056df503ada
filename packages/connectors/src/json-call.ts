import { z } from "zod";
import { summaryOf, verdictOfStatus } from "./answers.ts";
import { type Dead, type OutboundRequest, type Retry, type TargetResponse, type TokenGrant, type Verdict, dead } from "./connector.ts";
import { decodeJson } from "./json.ts";

/** One call of a system's API, before its address and who asks are added. */
export type Call = { method: OutboundRequest["method"]; path: string; body?: unknown };

/** The form of an answer of which nothing is read. */
export const Anything = z.unknown();

type JsonCall = {
  method: OutboundRequest["method"];
  url: string;
  headers?: Record<string, string>;
  secretHeaders?: readonly string[];
  body?: unknown;
  grant?: TokenGrant;
};

/** How a system says that something is wrong. */
export type Manners = {
  /** The text of an error in the body; null where there is none. */
  errorOf?: (body: unknown) => string | null;
  /** How long it asks to be left alone. */
  retryAfterMs?: (response: TargetResponse) => number | undefined;
  /** A failure behind a successful status: errors in a 200, a part of a 207. Null: none. */
  failureOf?: (body: unknown, response: TargetResponse) => Retry | Dead | null;
};

/** What statuses of this one call mean, e.g. 404 where the answer is "not yet". */
export type Meanings = Record<number, (body: unknown) => Verdict>;

/** A call whose answer is JSON; `read` is asked for successful answers that have the expected form. */
export function jsonRequest<Answer extends z.ZodType>(
  call: JsonCall,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  manners: Manners = {},
  meanings: Meanings = {},
): OutboundRequest {
  const { method, url, headers = {}, secretHeaders = [], body, grant } = call;
  return {
    method,
    url,
    headers: { accept: "application/json", ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    body: body === undefined ? null : JSON.stringify(body),
    secretHeaders,
    ...(grant && { grant }),
    read: (response) =>
      judge(response, manners, meanings, (value) => {
        const parsed = answer.safeParse(value);
        if (parsed.success) return read(parsed.data);
        return dead("unexpected-answer", `the answer has an unexpected form at ${parsed.error.issues[0]?.path.join(".") ?? ""}`);
      }),
  };
}

/** Statuses first, then what hides behind a good one; only then is the answer read. */
export function judge<Result>(
  response: TargetResponse,
  manners: Manners,
  meanings: Record<number, (body: unknown) => Result>,
  read: (body: unknown) => Result,
): Result | Retry | Dead {
  const decoded = response.body.trim() === "" ? null : decodeJson(Buffer.from(response.body));
  const body = decoded?.kind === "json" ? decoded.value : undefined;
  const meaning = meanings[response.status];
  if (meaning) return meaning(body);
  const verdict = verdictOfStatus(response);
  if (verdict.kind === "retry" || verdict.kind === "dead") return explained(verdict, response, body, manners);
  // A proxy's page with status 200 says nothing about the message.
  if (decoded?.kind === "rejected") return notUnderstood("JSON", response.body);
  return manners.failureOf?.(body, response) ?? read(body);
}

function explained(verdict: Retry | Dead, response: TargetResponse, body: unknown, manners: Manners): Retry | Dead {
  if (verdict.kind === "dead" && response.status === 404) {
    return dead(
      "external-gone",
      "the system doesn't know this object; if it was deleted there, remove its external item to create it anew",
    );
  }
  const text = manners.errorOf?.(body);
  const error = text == null ? verdict.error : { ...verdict.error, message: `HTTP ${response.status}: ${text.slice(0, 500)}` };
  const retryAfterMs = manners.retryAfterMs?.(response);
  return verdict.kind === "retry" && retryAfterMs !== undefined ? { ...verdict, error, retryAfterMs } : { ...verdict, error };
}

export function notUnderstood(format: string, body: string): Retry {
  return {
    kind: "retry",
    error: { class: "not-understood", message: `the answer is no ${format}${summaryOf(body)}` },
    isTargetFault: true,
  };
}

export function delivered(externalId?: string): Verdict {
  return externalId === undefined ? { kind: "delivered" } : { kind: "delivered", externalId };
}

export function next(request: OutboundRequest, afterMs?: number): Verdict {
  return afterMs === undefined ? { kind: "next", request } : { kind: "next", request, afterMs };
}

/** A failure that passes without the target being at fault: something else has to arrive there first. */
export function later(errorClass: string, message: string): Retry {
  return { kind: "retry", error: { class: errorClass, message }, isTargetFault: false };
}

/**
 * Looks again and again for the result of work that the target has accepted, each time a little later, some 20 s in all. Work that is not
 * done by then is a passing failure: the retry hands it in once more, so it must be of a kind that may be done twice.
 */
const resultDelaysMs = [200, 400, 800, 1_600, 3_200, 6_400, 6_400] as const;

export function stillWorking(ask: (round: number) => OutboundRequest, round: number): Verdict {
  const afterMs = resultDelaysMs[round];
  if (afterMs === undefined) return later("still-working", "the system has accepted the message and is not done with it yet");
  return next(ask(round + 1), afterMs);
}
