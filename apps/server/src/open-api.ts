import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { z } from "zod";
import { routes } from "@crossdock/contract";
import { addRoute } from "./route.ts";
import { version } from "./version.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The body of a route that takes the bytes as they come and reads them itself; the document tells of it all the same. */
    readByHand?: { body: z.ZodType; consumes?: string[] };
  }
}

/** The OpenAPI 3.1 document, made from the very schemas that validate the requests. Call before any route is added. */
export async function registerOpenApi(app: FastifyInstance): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: { title: "Crossdock", version, description: "Integration hub for commerce. Errors are problem+json (RFC 9457)." },
      components: {
        securitySchemes: {
          bearer: { type: "http", scheme: "bearer", description: "Access token of a session, or an API key" },
          apiKey: { type: "apiKey", in: "header", name: "x-api-key" },
        },
      },
      security: [{ bearer: [] }, { apiKey: [] }],
    },
    transform: (part) => jsonSchemaTransform({ ...part, schema: { ...part.schema, ...part.route.config?.readByHand } }),
    transformObject: jsonSchemaTransformObject,
  });
  let document: Record<string, unknown> | undefined;
  addRoute(app, routes.getOpenApi, () => (document ??= describeErrors({ ...app.swagger() })));
}

const WithOperations = z.looseObject({
  paths: z.record(z.string(), z.record(z.string(), z.looseObject({ responses: z.record(z.string(), z.unknown()) }))),
});

const problem = {
  description: "What went wrong (RFC 9457)",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** The generator gives all answers of a route one content type; errors have their own. */
function describeErrors(document: Record<string, unknown>): Record<string, unknown> {
  const described = WithOperations.parse(document);
  for (const operations of Object.values(described.paths)) {
    for (const { responses } of Object.values(operations)) responses["default"] = problem;
  }
  return described;
}
