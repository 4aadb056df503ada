import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";
import { jsonSchemaTransform, jsonSchemaTransformObject } from "fastify-type-provider-zod";
import { routes } from "@crossdock/contract";
import { addRoute } from "./route.ts";
import { version } from "./version.ts";

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
    transform: jsonSchemaTransform,
    transformObject: jsonSchemaTransformObject,
  });
  addRoute(app, routes.getOpenApi, () => ({ ...app.swagger() }));
}
