import { STATUS_CODES } from "node:http";
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { Problem, connectorCatalogue, routes, type RouteDefinition } from "@crossdock/contract";
import { z } from "zod";
import { addRoute } from "./route.ts";
import { version } from "../version.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** What the document says in the place of a route's schemas, of what the route reads or answers by itself. */
    documented?: { querystring?: z.ZodType; headers?: z.ZodType; body?: z.ZodType; consumes?: string[]; response?: object };
  }
}

const description = `Integration hub for commerce.

- Errors are problem+json (RFC 9457). Every answer carries its request's id as \`x-request-id\`.
- Times are ISO 8601 in UTC and end in Z. Ids of messages and external messages are strings of digits.
- \`x-permission\` names what the caller's role has to permit, and where a key has scopes, one of them. No API key may \`administer\`.
- The gateway's paths stand here as they are in production. Integration points of the environment development have the same ones below the dev base path of their connector, see \`GET /api/v1/connectors\`.`;

/** The OpenAPI 3.1 document, made from the very schemas that validate the requests. Call before any route is added. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Crossdock", version, description, license: { name: "Apache 2.0", identifier: "Apache-2.0" } },
      // Wherever the document was found.
      servers: [{ url: "/" }],
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "Access token of a session, or an API key" },
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    },
    transform: (part) => jsonSchemaTransform({ ...part, schema: { ...part.schema, ...part.route.config?.documented } }),
    transformObject: jsonSchemaTransformObject,
  });
  let document: Record<string, unknown> | undefined;
  addRoute(app, routes.getOpenApi, () => (document ??= complete({ ...app.swagger() })));
}

const parameters = {
  IdempotencyKey: {
    name: "Idempotency-Key",
    in: "header",
    description:
      "Sent again by the same caller with the same body within 24 hours, the request creates nothing and gets the first answer. With another body: 422 `idempotency-key-reused`",
    schema: { type: "string", minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: "If-Match",
    in: "header",
    description: "The version that the change is based on, as an ETag. When the object has another one by now: 412 `version-changed`",
    schema: { type: "string" },
    example: '"3"',
  },
  LastEventId: {
    name: "Last-Event-ID",
    in: "header",
    description: "The id of the last event that was read; when some may have been missed since, the first one is `resync`",
    schema: { type: "string" },
  },
};

const headers = {
  ContentDisposition: { description: "Names the file", schema: { type: "string" } },
  ETag: { description: "The object's `version` in quotes", required: true, schema: { type: "string" }, example: '"3"' },
  IdempotentReplayed: {
    description: "Set when this is the first answer to the Idempotency-Key, given again",
    schema: { type: "string", const: "true" },
  },
  RequestId: { description: "Stands in the server's log, too", required: true, schema: { type: "string" } },
  Allow: { description: "The methods that the path takes; set with 405", schema: { type: "string" }, example: "GET, POST" },
  RetryAfter: { description: "Seconds to wait before asking again", schema: { type: "integer", minimum: 1 } },
  WWWAuthenticate: { description: "Set with 401", schema: { type: "string", const: "Bearer" } },
};

const to = (kind: "parameters" | "headers" | "responses", name: string) => ({ $ref: `#/components/${kind}/${name}` });

function problem(description: string, others: object) {
  return {
    description,
    headers: { "x-request-id": to("headers", "RequestId"), ...others },
    content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
  };
}
const responses = {
  Problem: problem("What went wrong (RFC 9457)", {
    "Retry-After": to("headers", "RetryAfter"),
    Allow: to("headers", "Allow"),
    "WWW-Authenticate": to("headers", "WWWAuthenticate"),
  }),
  Later: problem("The same request may succeed when Retry-After has passed", { "Retry-After": { ...headers.RetryAfter, required: true } }),
};

/** Errors that a route tells of one by one, by their status. */
export function problems(said: Record<number, string>): object {
  const content = { "application/problem+json": { schema: Problem } };
  return Object.fromEntries(Object.entries(said).map(([status, description]) => [status, { description, content }]));
}

const Answer = z.looseObject({ description: z.string(), headers: z.record(z.string(), z.unknown()).optional() });
const Operation = z.looseObject({
  operationId: z.string(),
  tags: z.array(z.string()),
  parameters: z.array(z.unknown()).default([]),
  responses: z.record(z.string(), Answer),
});
type Operation = z.output<typeof Operation>;
const Document = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), Operation)),
  components: z.looseObject({ schemas: z.record(z.string(), z.unknown()) }),
});

/** Adds what the generator doesn't know: headers, what all answers have in common, and what the tags stand for. */
function complete(generated: Record<string, unknown>): Record<string, unknown> {
  const document = Document.parse(generated);
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path));
  const byName: Partial<Record<string, RouteDefinition>> = routes;
  for (const operation of operations) completeOperation(operation, byName[operation.operationId]);
  const names = new Map(Object.values(connectorCatalogue).map(({ code, name }) => [code as string, name]));
  const tags = [...new Set(operations.flatMap((operation) => operation.tags))].map((name) => {
    const connector = names.get(name);
    return { name, ...(connector !== undefined && { description: `Gateway: ${connector}` }) };
  });
  const components = { ...document.components, parameters, headers, responses };
  return { ...document, tags, components: { ...components, schemas: referredTo(document) } };
}

function completeOperation(operation: Operation, route: RouteDefinition | undefined): void {
  const isCreating = route?.method === "POST" && "201" in route.responses;
  if (isCreating) operation.parameters.push(to("parameters", "IdempotencyKey"));
  if (route?.takesLastEventId) operation.parameters.push(to("parameters", "LastEventId"));
  if (route?.takesIfMatch) operation.parameters.push(to("parameters", "IfMatch"));
  const named = {
    ...(route?.hasETag && { ETag: to("headers", "ETag") }),
    ...(isCreating && { "Idempotent-Replayed": to("headers", "IdempotentReplayed") }),
    ...(route?.contentTypes?.includes("text/csv") && { "Content-Disposition": to("headers", "ContentDisposition") }),
  };
  for (const [status, answer] of Object.entries(operation.responses)) {
    if (answer.description === "Default Response") answer.description = STATUS_CODES[status] ?? "";
    if (Object.keys(named).length > 0) answer.headers = named;
  }
  // The generator gives all answers of a route one content type; errors have their own.
  Object.assign(operation.responses, { default: to("responses", "Problem"), 503: to("responses", "Later") });
  // Intake has backpressure of its own.
  if (route) Object.assign(operation.responses, { 429: to("responses", "Later") });
}

/**
 * The generator makes a form for requests of every schema with a name, and most are only answered. What a request refers to stays, and what that refers to;
 * of the forms for answers all do, since streams of lines and events cannot refer to theirs.
 */
function referredTo({ paths, components: { schemas } }: z.output<typeof Document>): Record<string, unknown> {
  const kept = new Set(Object.keys(schemas).filter((name) => !name.endsWith("Input")));
  const keepThoseIn = (part: unknown): void => {
    for (const [, name = ""] of JSON.stringify(part).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (kept.has(name)) continue;
      kept.add(name);
      keepThoseIn(schemas[name]);
    }
  };
  keepThoseIn(paths);
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => kept.has(name)));
}
