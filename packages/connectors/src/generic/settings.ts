import { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { expressionFault } from "./expression.ts";

const Expression = z
  .string()
  .max(20_000)
  .superRefine((source, context) => {
    const fault = expressionFault(source);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, "not a header's name");
const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,2000}$/, "must be printable ASCII");
const HttpUrl = z.url({ protocol: /^https?$/ }).max(2_000);

const Delivery = z.strictObject({
  method: z.enum(["POST", "PUT", "PATCH"]).default("POST"),
  path: z
    .string()
    .max(1_000)
    .optional()
    .describe("Added to the URL. {key}, {externalId}, {entityType} are filled in. Default: /{entityType}"),
  template: Expression.optional().describe("JSONata expression over the canonical document; its result is the body. Default: the document"),
  externalIdPath: z
    .string()
    .max(200)
    .optional()
    .describe("Where the answer names the object, e.g. data.id; kept and offered as {externalId} from then on"),
});

const Listing = z.strictObject({
  path: z.string().max(1_000).describe("Added to the URL; may have a query"),
  expression: Expression.optional().describe(
    "JSONata expression over the answer; its result is a list of canonical documents or parts of them. Default: the answer is one",
  ),
  pageParameter: z
    .string()
    .regex(/^[\w.[\]-]{1,100}$/)
    .optional()
    .describe("Query parameter of the page's number, from 1; the first empty page is the end. Default: everything comes at once"),
  next: Expression.optional().describe(
    "JSONata expression over the answer; its result is what the page parameter is next, nothing at the end",
  ),
});

export const Settings = z.strictObject({
  url: HttpUrl.optional().describe("Where documents are delivered to. Needed by targets only"),
  auth: z.enum(["none", "basic", "bearer", "api-key", "oauth2-client-credentials"]).default("none"),
  apiKeyHeader: HeaderName.default("x-api-key"),
  tokenUrl: HttpUrl.optional().describe("For oauth2-client-credentials"),
  scope: z.string().max(1_000).optional().describe("For oauth2-client-credentials"),
  headers: z.record(HeaderName, HeaderValue).default({}).describe("Sent with every delivery; not for secrets"),
  deliver: z.partialRecord(EntityType, Delivery).default({}),
  list: z
    .partialRecord(EntityType, Listing)
    .default({})
    .describe("How the system is asked for what it holds, for reconciliations. Only fields that it answers are compared"),
  receive: z
    .partialRecord(EntityType, z.strictObject({ expression: Expression }))
    .default({})
    .describe("JSONata expression over the message; its result is one canonical document or a list. Default: the message is canonical"),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  username: z.string().max(1_000).optional(),
  password: z.string().max(1_000).optional(),
  token: HeaderValue.optional(),
  apiKey: HeaderValue.optional(),
  clientId: z.string().max(1_000).optional(),
  clientSecret: z.string().max(1_000).optional(),
  webhookSecret: z
    .string()
    .regex(/^(?:whsec_)?[A-Za-z0-9+/]{8,}={0,2}$/, "base64, as Standard Webhooks has it")
    .optional(),
});
export type Credentials = z.infer<typeof Credentials>;
