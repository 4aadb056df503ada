import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { retryAfterOf } from "../answers.ts";
import { type OutboundRequest, type TargetResponse, type Verdict, dead, messageHeaders } from "../connector.ts";
import { at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { type Call, type Manners, type Meanings, jsonRequest, next } from "../json-call.ts";
import type { ContextOf, Delivery as NativeDelivery } from "../native.ts";
import type { Credentials, Settings } from "./settings.ts";

export type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
export type Context = ContextOf<Settings, Credentials>;

export const Id = z.int().transform(String);

/** v3: `{title, errors: {field: text}}`; v2: a list of `{status, message}`. */
function errorOf(body: unknown): string | null {
  if (Array.isArray(body))
    return (
      body
        .map(errorOf)
        .filter((text) => text !== null)
        .join("; ") || null
    );
  if (!isRecord(body)) return null;
  const { title, message, errors } = body;
  const fields = isRecord(errors) ? Object.entries(errors).map(([field, text]) => `${field}: ${String(text)}`) : [];
  const first = typeof title === "string" ? title : typeof message === "string" ? message : null;
  return first === null && fields.length === 0 ? null : [first, ...fields].filter((text) => text !== null).join("; ");
}

/** Two headers, one in seconds and one in milliseconds: the longer wait is the safe one. There is no plain Retry-After. */
function retryAfterMs({ headers }: TargetResponse): number | undefined {
  const waits = [retryAfterOf(headers["x-retry-after"]), Number(headers["x-rate-limit-time-reset-ms"] ?? Number.NaN)];
  const longest = Math.max(...waits.filter((wait): wait is number => wait !== null && wait >= 0), -1);
  return longest < 0 ? undefined : Math.min(longest, 86_400_000);
}

export const manners: Manners = {
  errorOf,
  retryAfterMs,
  // 207: a part of the batch was refused; there is one entry in ours.
  failureOf: (body, { status }) => {
    const isPartial = status === 207 || (isRecord(body) && isRecord(body["meta"]) && Number(body["meta"]["failed"] ?? 0) > 0);
    return isPartial ? dead("refused", errorOf(body) ?? "the store refused the entry") : null;
  },
};

export function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const headers = { "x-auth-token": credentials.accessToken, ...(input && messageHeaders(input)) };
  return jsonRequest(
    { method, url: at(settings.baseUrl, path), headers, secretHeaders: ["x-auth-token"], body },
    answer,
    read,
    manners,
    meanings,
  );
}

/** "Tue, 20 Nov 2012 00:00:00 +0000", as v2 writes times. */
export function rfc2822(time: string | null): string | null {
  const milliseconds = Date.parse(time ?? "");
  return Number.isNaN(milliseconds) ? null : new Date(milliseconds).toISOString();
}

/** Lists of v2 come in pages of 50 unless more are asked for, and with 204 and nothing where there is nothing. */
export const partsMax = 250;

/** All parts of an order, such as its lines: pages count from 1. */
export function partsOfOrder<Part extends z.ZodType>(
  context: Context,
  path: string,
  part: Part,
  then: (parts: z.output<Part>[]) => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const Parts = z.array(part).nullish();
  const ask = (page: number, earlier: z.output<Part>[]): OutboundRequest =>
    call(
      context,
      { method: "GET", path: `${path}?limit=${partsMax}&page=${page}` },
      Parts,
      (parts) => {
        const all = [...earlier, ...(parts ?? [])];
        return parts != null && parts.length >= partsMax ? next(ask(page + 1, all)) : then(all);
      },
      meanings,
    );
  return ask(1, []);
}
