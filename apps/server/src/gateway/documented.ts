import type { FastifyContextConfig } from "fastify";
import { EntityType, canonicalSchemas, type ConnectorEndpoint } from "@crossdock/contract";
import { z } from "zod";
import { keyLengthMax } from "../api/idempotency.ts";
import { problems } from "../api/open-api.ts";
import { LeasedMessage } from "./lease.ts";
import { PushAnswer } from "./push.ts";

/** What the OpenAPI document says of the gateway beyond the schemas that validate: bodies are read by hand, and an endpoint has one kind of document. */
type Documented = NonNullable<FastifyContextConfig["documented"]>;

/** `leaseSitooOrders` of "lease", "sitoo" and "orders". */
export const operationIdOf = (verb: string, ...place: string[]): string => verb + place.map(capitalised).join("");

function capitalised(word: string): string {
  return `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
}

const leasedMessages = new Map<EntityType, z.ZodObject>(
  EntityType.options.map((type) => [
    type,
    LeasedMessage.extend({ document: canonicalSchemas[type] }).meta({ id: `Leased${capitalised(type)}` }),
  ]),
);

export function leasing({ entityType }: ConnectorEndpoint, querystring: z.ZodType): Documented {
  const Leased = leasedMessages.get(entityType) ?? LeasedMessage;
  const response = {
    200: z.union([Leased, z.object({ messages: z.array(Leased) })]),
    204: z.null().describe("Nothing waits"),
    ...problems({
      409: "`conflict`: the integration point delivers by itself, several fit, or a later state of what is to be sent again was delivered",
    }),
  };
  return { querystring, response };
}

const SenderHeaders = z.object({
  "Idempotency-Key": z
    .string()
    .min(1)
    .max(keyLengthMax)
    .optional()
    .describe("Sent again within seven days, the message is taken once. Of NDJSON each line has this key and its number"),
});

export function handingIn({ entityType }: ConnectorEndpoint, querystring: z.ZodType): Documented {
  const response = {
    200: {
      description: "There was nothing to do, or it was received before; of NDJSON, what each line came to",
      content: { "application/json": { schema: PushAnswer }, "application/x-ndjson": { schema: z.string() } },
    },
    202: PushAnswer.describe("Accepted"),
    ...problems({
      400: "`bad-json`, `bad-encoding`, `nul-character`: no UTF-8 JSON; kept as a rejected external message",
      413: "`too-large`: not kept",
      415: "`media-type-unsupported`: not kept; bodies come uncompressed",
      422: "`rejected-message`: could not be translated, kept as a rejected external message; or `idempotency-key-reused`",
    }),
  };
  const body = z
    .union([canonicalSchemas[entityType], z.looseObject({}), z.array(z.unknown())])
    .describe("The canonical document, or what the integration point translates; of NDJSON one a line");
  return { querystring, headers: SenderHeaders, body, consumes: ["application/json", "application/x-ndjson"], response };
}

export function settling(querystring: z.ZodType, body: z.ZodType, ok: object): Documented {
  const response = { ...ok, ...problems({ 409: "`lease-stale`: the lease has ended, or the token is not this message's" }) };
  return { querystring, body, response };
}
