import { z } from "zod";
import { summaryOf, verdictOfStatus } from "../answers.ts";
import {
  type Dead,
  type OutboundRequest,
  type RequestInput,
  type Retry,
  type TargetResponse,
  type Verdict,
  dead,
  messageHeaders,
} from "../connector.ts";
import { decodeJson, isRecord } from "../json.ts";
import type { Call } from "../json-call.ts";
import type { Access } from "./access.ts";
import type { Settings } from "./settings.ts";

/** What every step of a delivery knows. */
export type Delivery<Document> = { document: Document; input: RequestInput; settings: Settings; access: Access };

/** One call of the Admin API; `read` says what its answer means and is asked for successful answers in JSON only. */
export function call<Answer extends z.ZodType>(
  { input, settings, access }: Omit<Delivery<unknown>, "document" | "input"> & { input?: RequestInput },
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  return {
    ...access,
    method,
    url: `${settings.shopUrl.replace(/\/+$/, "")}/admin/api/${settings.apiVersion}/${path}`,
    headers: {
      accept: "application/json",
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...access.headers,
      ...(input && messageHeaders(input)),
    },
    body: body === undefined ? null : JSON.stringify(body),
    read: (response) => judge(response, answer, read),
  };
}

/** Frozen until its bill is paid, or locked: the shop takes nothing then, whatever the message. */
const closed = new Set([402, 423]);

/**
 * Statuses first, then the two ways in which Shopify fails with 200: `errors` in a REST answer, and `errors` with a code in a GraphQL
 * one, of which throttling and the shop's own faults pass. https://shopify.dev/docs/api/usage/response-codes
 */
export function judge<Answer extends z.ZodType, Result>(
  response: TargetResponse,
  answer: Answer,
  read: (answer: z.output<Answer>) => Result,
): Result | Retry | Dead {
  const judged = verdictOfStatus(response);
  const verdict: Verdict = closed.has(response.status) && "error" in judged ? { ...judged, kind: "retry", isTargetFault: true } : judged;
  const decoded = decodeJson(Buffer.from(response.body));
  const body = decoded.kind === "json" ? decoded.value : undefined;
  const errors = isRecord(body) ? body["errors"] : undefined;
  if (verdict.kind === "dead" && response.status === 404) {
    return dead("external-gone", "the shop doesn't know this object any more; remove its external item to create it anew");
  }
  if (verdict.kind === "dead" || verdict.kind === "retry") {
    return errors === undefined
      ? verdict
      : { ...verdict, error: { ...verdict.error, message: `HTTP ${response.status}: ${textOfErrors(errors)}` } };
  }
  // A proxy's page with status 200 says nothing about the message.
  if (!isRecord(body)) {
    return {
      kind: "retry",
      error: { class: "not-json", message: `the answer is no JSON object${summaryOf(response.body)}` },
      isTargetFault: true,
    };
  }
  if (errors !== undefined) {
    const codes = codesOf(errors);
    if (codes.includes("THROTTLED")) return throttled(body);
    const failure = dead("shopify-errors", textOfErrors(errors));
    return codes.some((code) => ownFaults.has(code)) ? { ...failure, kind: "retry", isTargetFault: true } : failure;
  }
  const parsed = answer.safeParse(body);
  if (parsed.success) return read(parsed.data);
  return dead("unexpected-answer", `the answer has an unexpected form at ${parsed.error.issues[0]?.path.join(".") ?? ""}`);
}

/** Shopify's errors are a text, a list, or a map from field to texts. */
function textOfErrors(errors: unknown): string {
  if (typeof errors === "string") return errors.slice(0, 500);
  if (Array.isArray(errors))
    return errors.map((each: unknown) => (isRecord(each) ? textOfErrors(each["message"]) : textOfErrors(each))).join("; ");
  if (!isRecord(errors)) return "unknown error";
  const texts = Object.entries(errors).map(([field, messages]) => `${field} ${textOfErrors(messages)}`);
  return texts.join("; ").slice(0, 500);
}

/** GraphQL tells them so, where REST answers 500 and 504. */
const ownFaults = new Set<unknown>(["INTERNAL_SERVER_ERROR", "TIMEOUT"]);

function codesOf(errors: unknown): unknown[] {
  const extensions = Array.isArray(errors) ? errors.map((each) => (isRecord(each) ? each["extensions"] : null)) : [];
  return extensions.filter(isRecord).map(({ code }) => code);
}

const Cost = z.object({
  extensions: z.object({
    cost: z.object({
      requestedQueryCost: z.number(),
      throttleStatus: z.object({ currentlyAvailable: z.number(), restoreRate: z.number().positive() }),
    }),
  }),
});

/** GraphQL sends no Retry-After; the wait is until the bucket has restored what the query costs. */
function throttled(body: unknown): Retry {
  const error = { class: "throttled", message: "Shopify throttles: THROTTLED" };
  const cost = Cost.safeParse(body);
  if (!cost.success) return { kind: "retry", error, isTargetFault: true };
  const { requestedQueryCost, throttleStatus } = cost.data.extensions.cost;
  const seconds = (requestedQueryCost - throttleStatus.currentlyAvailable) / throttleStatus.restoreRate;
  return { kind: "retry", error, isTargetFault: true, retryAfterMs: Math.min(Math.max(Math.ceil(seconds * 1000), 0), 60_000) };
}

/** Ids in answers: numbers beyond 2^31, text from GraphQL. */
export const Id = z.union([z.int().transform(String), z.string().regex(/^[0-9]{1,20}$/)]);

/** Where a list of GraphQL goes on. */
export const PageInfo = z.object({ hasNextPage: z.boolean(), endCursor: z.string().nullable() });
