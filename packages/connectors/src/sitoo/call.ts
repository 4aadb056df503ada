import type { EntityType } from "@crossdock/contract";
import type { z } from "zod";
import { type OutboundRequest, type Verdict, dead, messageHeaders } from "../connector.ts";
import { asText } from "../foreign.ts";
import { at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { type Call, type Manners, jsonRequest } from "../json-call.ts";
import type { ContextOf, Delivery as NativeDelivery } from "../native.ts";
import { basic } from "../token-grant.ts";
import type { Credentials, Settings } from "./settings.ts";

export type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
export type Context = ContextOf<Settings, Credentials>;

/** A batch answers 200 with a status for each entry; there is one entry in ours. */
export const manners: Manners = {
  errorOf: (body) => (isRecord(body) ? asText(body["errortext"] ?? body["message"] ?? body["error"]) || null : null),
  failureOf: (body) => {
    const refused = Array.isArray(body) ? body.find((entry) => isRecord(entry) && Number(entry["statuscode"] ?? 200) >= 400) : undefined;
    return isRecord(refused)
      ? dead("refused", `the entry was refused: ${asText(refused["statuscode"])} ${asText(refused["errortext"] ?? refused["return"])}`)
      : null;
  },
};

export function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  const headers = { authorization: basic(credentials.apiId, credentials.password), ...(input && messageHeaders(input)) };
  const url = at(settings.baseUrl, `sites/${settings.siteId}/${path}`);
  return jsonRequest({ method, url, headers, secretHeaders: ["authorization"], body }, answer, read, manners);
}
