import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from "fastify";
import { Problem, routes, type RouteDefinition } from "@crossdock/contract";
import { z } from "zod";
import type { Principal, TenantScope } from "../access/access.ts";
import { smallBodyBytes } from "../http/bodies.ts";

/** What a handler gets: the parsed parts of the request and who asks, in which tenant. */
export type RouteContext<Params, Query, Body> = {
  params: Params;
  query: Query;
  body: Body;
  /** On routes with a tenant; reading it on others is a programming error and throws. */
  readonly tenant: TenantScope;
  /** On routes that are not public; reading it on others throws. */
  readonly principal: Principal;
  request: FastifyRequest;
  reply: FastifyReply;
};

/** The contract's names of its routes; generated clients name their functions after them. */
const operationIds = new Map(Object.entries(routes).map(([name, route]) => [`${route.method} ${route.path}`, name]));

type Options = Pick<RouteShorthandOptions, "bodyLimit" | "config" | "exposeHeadRoute">;

/**
 * Registers a route of the contract. Its schemas validate what comes in, and strip what goes out down to what was promised.
 * The handler returns the answer's body; the status is the one that the contract names.
 */
export function addRoute<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType, Success extends z.ZodType>(
  app: FastifyInstance,
  route: RouteDefinition<Params, Query, Body, Success>,
  handle: (context: RouteContext<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<z.input<Success>> | z.input<Success>,
  options: Options = {},
): void {
  const [[statusText, answer] = ["204", undefined]] = Object.entries(route.responses);
  const status = Number(statusText);
  const operationId = operationIds.get(`${route.method} ${route.path}`);
  const changes = route.changes ?? route.method !== "GET";
  const { takesIfMatch = false, hasETag = false } = route;
  app.route({
    // Strangers have little to say, and shall not keep out the bodies of others.
    ...(route.permission === "public" ? { bodyLimit: smallBodyBytes } : {}),
    ...options,
    method: route.method,
    url: route.path,
    config: {
      ...options.config,
      permission: route.permission,
      changes,
      takesIfMatch,
      ...(operationId === undefined ? {} : { operation: operationId }),
    },
    schema: {
      summary: route.summary,
      ...(route.description === undefined ? {} : { description: route.description }),
      ...(route.contentTypes === undefined ? {} : { produces: route.contentTypes }),
      ...(operationId === undefined ? {} : { operationId }),
      "x-permission": route.permission,
      tags: [tagOf(route.path)],
      ...(route.permission === "public" ? { security: [] } : {}),
      ...(route.permission === "administer" ? { security: [{ bearer: [] }] } : {}),
      ...(route.params && { params: route.params }),
      ...querystringOf(route),
      ...(route.body && { body: route.body }),
      response: { [status]: answer, default: Problem },
    },
    handler: async (request, reply) => {
      // The schemas above have parsed these; Fastify's types cannot know it for a route that is generic here.
      const context = {
        params: request.params as z.output<Params>,
        query: request.query as z.output<Query>,
        body: request.body as z.output<Body>,
        get tenant() {
          return present(request.tenantScope, "tenant");
        },
        get principal() {
          return present(request.principal, "principal");
        },
        request,
        reply,
      };
      const result = await handle(context);
      if (changes && !request.isAudited)
        throw new Error(`${operationId ?? route.path} changed something and wrote no audit event: see change.ts`);
      if (reply.hasHeader("etag") !== hasETag) throw new Error(`${operationId ?? route.path} declares its ETag wrongly`);
      // A handler that took over the connection (an event stream) has already answered.
      if (reply.sent) return reply;
      return reply.code(status).send(result);
    },
  });
}

/**
 * A slip of the pen in a filter would be answered with everything. Other paths than the API's are called by probes, load balancers and other
 * systems, which add what they like.
 */
function querystringOf({ path, query }: RouteDefinition): { querystring?: z.ZodType } {
  if (!path.startsWith("/api/")) return query ? { querystring: query } : {};
  return { querystring: query instanceof z.ZodObject ? query.strict() : (query ?? z.strictObject({})) };
}

function present<Value>(value: Value | null, name: string): Value {
  if (value === null) throw new Error(`this route has no ${name}`);
  return value;
}

/** The feature's noun, under which the OpenAPI document groups the route. */
function tagOf(path: string): string {
  const [noun] = path
    .replace(/^\/api\/v1\/(tenants\/:tenantCode\/)?/, "")
    .split("/")
    .filter((part) => part !== "");
  return path.startsWith("/api/") ? (noun ?? "tenants") : "other";
}
