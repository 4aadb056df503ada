import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type OutboundRequest, type Retry, type Verdict, dead, messageHeaders } from "../connector.ts";
import { asText } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { type Manners, jsonRequest } from "../json-call.ts";
import type { ContextOf, Delivery as NativeDelivery } from "../native.ts";
import type { Credentials, Settings } from "./settings.ts";

export type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
export type Context = ContextOf<Settings, Credentials>;

function textsOf(errors: unknown): string | null {
  if (!Array.isArray(errors) || errors.length === 0) return null;
  return errors
    .map((error) => (isRecord(error) ? asText(error["message"]) : asText(error)))
    .join("; ")
    .slice(0, 500);
}

/** Two kinds of errors in an answer 200: of the query as a whole, and of what it was to do (`userErrors`). */
export const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? textsOf(body["errors"]) : null),
  failureOf(body) {
    if (!isRecord(body)) return null;
    const ofQuery = textsOf(body["errors"]);
    if (ofQuery !== null) return /rate limit|too many|throttl/i.test(ofQuery) ? throttled(ofQuery) : dead("graphql", ofQuery);
    const results = isRecord(body["data"]) ? Object.values(body["data"]).filter(isRecord) : [];
    const refused = results.map((result) => textsOf(result["userErrors"])).find((text) => text !== null);
    return refused === undefined ? null : dead("refused", refused);
  },
};

function throttled(message: string): Retry {
  return { kind: "retry", error: { class: "throttled", message }, isTargetFault: true };
}

export function ask<Data extends z.ZodType>(
  { settings, credentials, input }: Context,
  query: string,
  variables: object,
  data: Data,
  read: (data: z.output<Data>) => Verdict,
): OutboundRequest {
  return jsonRequest(
    {
      method: "POST",
      url: settings.baseUrl,
      headers: { authorization: `Bearer ${credentials.token}`, ...(input && messageHeaders(input)) },
      secretHeaders: ["authorization"],
      body: { query, variables },
    },
    z.object({ data }),
    (answer: { data?: unknown }) => read(data.parse(answer.data)),
    manners,
  );
}

export const Errors = "userErrors { message path }";
