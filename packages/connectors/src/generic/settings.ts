import { EntityType, HttpAddress, reasons } from "@crossdock/contract";
import { z } from "zod";
import { standardWebhooks, webhookSecrets } from "../signatures.ts";
import { expressionFault } from "./expression.ts";

const Expression = z
  .string()
  .max(20_000)
  .superRefine((source, context) => {
    const fault = expressionFault(source);
    if (fault !== null) context.addIssue({ code: "custom", message: fault });
  });

const HeaderName = z.string().regex(/^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}$/, reasons["header-name"]);
const HeaderValue = z.string().regex(/^[\t\x20-\x7e]{0,2000}$/, reasons["printable-ascii"]);
const HttpUrl = HttpAddress.max(2_000);

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
  url: HttpUrl.optional().meta({ title: "Address", description: "Where documents are delivered to. Needed by targets only" }),
  testPath: z.string().max(1_000).optional().meta({
    title: "Path of the connection test",
    description:
      "Added to the address; something harmless that is answered only with right credentials. Without it the address itself is asked",
  }),
  testMethod: z.enum(["GET", "HEAD", "OPTIONS"]).default("GET").meta({ title: "Method of the connection test" }),
  auth: z
    .enum(["none", "basic", "bearer", "api-key", "oauth2-client-credentials"])
    .default("none")
    .meta({ title: "Kind of authentication" }),
  apiKeyHeader: HeaderName.default("x-api-key").meta({ title: "Header of the API key" }),
  tokenUrl: HttpUrl.optional().meta({ title: "Address for tokens", description: "For oauth2-client-credentials" }),
  scope: z.string().max(1_000).optional().meta({ title: "Scope", description: "For oauth2-client-credentials" }),
  headers: z
    .record(HeaderName, HeaderValue)
    .default({})
    .meta({ title: "Headers", description: "Sent with every delivery; not for secrets" }),
  deliver: z.partialRecord(EntityType, Delivery).default({}).meta({
    title: "Delivery by entity type",
    description:
      "How each entity type is sent: method, path, a JSONata template of the body, and where the answer names the object. Default: POST of the document to /{entityType}",
  }),
  list: z.partialRecord(EntityType, Listing).default({}).meta({
    title: "Lists by entity type",
    description: "How the system is asked for what it holds, for reconciliations. Only fields that are in its answer are compared",
  }),
  receive: z
    .partialRecord(EntityType, z.strictObject({ expression: Expression }))
    .default({})
    .meta({
      title: "Translation by entity type",
      description: "JSONata expression over the message; its result is one canonical document or a list. Default: the message is canonical",
    }),
});
export type Settings = z.infer<typeof Settings>;

export const Credentials = z.strictObject({
  username: z.string().max(1_000).optional().meta({ title: "User name" }),
  password: z.string().max(1_000).optional().meta({ title: "Password" }),
  token: HeaderValue.optional().meta({ title: "Token" }),
  apiKey: HeaderValue.optional().meta({ title: "API key" }),
  clientId: z.string().max(1_000).optional().meta({ title: "Client id" }),
  clientSecret: z.string().max(1_000).optional().meta({ title: "Client secret" }),
  ...webhookSecrets(standardWebhooks),
});
export type Credentials = z.infer<typeof Credentials>;
