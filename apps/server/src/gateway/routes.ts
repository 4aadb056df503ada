import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { MessageId, Problem, connectorCatalogue, fromText, type ConnectorEndpoint, type ConnectorEntry } from "@crossdock/contract";
import { z } from "zod";
import type { TenantScope, WatchAccess } from "../access/access.ts";
import type { Deps } from "../deps.ts";
import { batchType, isBatch, jsonTextOf, parseWhole } from "../http/bodies.ts";
import { ApiError } from "../errors/errors.ts";
import { faultsOf } from "../errors/faults.ts";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";
import { onceClosed } from "../http/streaming.ts";
import { handingIn, leasing, operationIdOf, settling } from "./documented.ts";
import { Ack, Extension, LeasedMessage, Nack, acknowledge, giveBack, lease, leaseAgain, lengthen, refuse, type Hold } from "./lease.ts";
import { PushAnswer, pushOne, pushStream } from "./push.ts";
import { recognise, resolvePoint, type Door } from "./resolve.ts";
import { createWakeUps, type WakeUps } from "./wake-ups.ts";

type Context = {
  pool: Deps["pools"]["app"];
  bodyLimitBytes: number;
  directory: Directory;
  intake: Intake;
  wakeUps: WakeUps;
  /** Aborts when the process stops. */
  closing: AbortSignal;
  watchAccess: WatchAccess;
};

const PointQuery = z.object({
  tenant: z.string().max(63).optional().describe("Needed without an API key, which belongs to one tenant"),
  subtenant: z.string().max(63).optional().describe("Code of the subtenant"),
  integrationPoint: z.string().max(63).optional().describe("Needed where several integration points of the subtenant fit"),
});
const LeaseQuery = PointQuery.extend({
  max: fromText(z.number().int().min(1).max(500)).optional().describe("Takes up to so many messages; the answer is then a list"),
  wait: fromText(z.number().min(0).max(60), /^\d+(\.\d+)?$/)
    .prefault(0)
    .describe("Seconds to wait for the first message"),
  leaseSeconds: fromText(z.number().int().min(5).max(3_600)).prefault(60),
  retry: MessageId.optional().describe("Where offered: sends this message again"),
});
/** The document calls for it; handlers say in words when it is missing. */
const always = { subtenant: true } as const;
const pointQuery = PointQuery.required(always);
const MessageParams = z.object({ messageId: MessageId });

const settled = { 204: z.null().describe("Settled") };
const lengthened = { 200: z.object({ leaseUntil: z.string() }) };

/** The paths of the connector catalogue, production and development, for whoever hands messages in or takes them out. */
export function registerGateway(
  app: FastifyInstance,
  { config, pools, logger }: Deps,
  { directory, intake }: { directory: Directory; intake: Intake },
): void {
  const wakeUps = createWakeUps(pools.app, logger);
  const closing = new AbortController();
  const { bodyLimitBytes } = config;
  const context: Context = {
    pool: pools.app,
    bodyLimitBytes,
    directory,
    intake,
    wakeUps,
    closing: closing.signal,
    watchAccess: app.watchAccess,
  };
  // Long polls and batches would hold back the close of the server.
  app.addHook("preClose", async () => {
    closing.abort();
    await wakeUps.close();
  });
  void app.register(async (scope) => {
    takeRawBodies(scope);
    for (const connector of Object.values(connectorCatalogue)) {
      for (const endpoint of connector.endpoints) {
        registerEndpoint(scope, context, connector, endpoint, false);
        registerEndpoint(scope, context, connector, endpoint, true);
      }
    }
  });
}

/** Messages are kept as the bytes that came, so bodies are not parsed here; batches are streams without a size limit of their own. */
function takeRawBodies(scope: FastifyInstance): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser(batchType, (_request, payload, done) => done(null, payload));
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
}

function registerEndpoint(
  scope: FastifyInstance,
  context: Context,
  connector: ConnectorEntry,
  endpoint: ConnectorEndpoint,
  isDevelopment: boolean,
): void {
  const door: Door = { connector: connector.code, isDevelopment, entityType: endpoint.entityType };
  const path = `${isDevelopment ? connector.devBasePath : connector.basePath}/${endpoint.path}`;
  const route = (
    options: Pick<RouteOptions, "method" | "url" | "handler"> & {
      /** What is done with the endpoint's messages; names the operation in the document. */
      verb: string;
      summary: string;
      description?: string;
      schema: object;
      documented: NonNullable<FastifyContextConfig["documented"]>;
      ok: object;
    },
  ): void => {
    const { verb, summary, description, schema, documented, ok, ...rest } = options;
    scope.route({
      ...rest,
      bodyLimit: context.bodyLimitBytes,
      // Each message is its own record: from whom, when, what became of it.
      config: {
        permission: "gateway",
        changes: false,
        documented,
      },
      // Browsers do not call here.
      helmet: false,
      schema: {
        operationId: operationIdOf(verb, connector.code, endpoint.path),
        summary,
        ...(description !== undefined && { description }),
        "x-permission": "gateway",
        tags: [connector.code],
        hide: isDevelopment,
        ...schema,
        response: { ...ok, default: Problem },
      },
    });
  };

  route({
    verb: "lease",
    method: "GET",
    url: endpoint.hasNext ? `${path}/next` : path,
    summary: `Lease the next ${endpoint.entityType} messages`,
    description: "Answers one message or, where `max` is given, a list of them.",
    schema: { querystring: LeaseQuery },
    documented: leasing(endpoint, (endpoint.canResend ? LeaseQuery : LeaseQuery.omit({ retry: true })).required(always)),
    ok: { 200: z.union([LeasedMessage, z.object({ messages: z.array(LeasedMessage) })]), 204: z.null() },
    handler: (request, reply) => handleLease(context, door, endpoint, request, reply),
  });
  route({
    verb: "handIn",
    method: "POST",
    url: path,
    summary: `Hand ${endpoint.entityType} messages in: one as JSON, or many as NDJSON`,
    description:
      "Each message is what the integration point translates; where it has no translation, the canonical document. NDJSON is answered 200 with a LineAnswer a line.",
    schema: { querystring: PointQuery },
    documented: handingIn(endpoint, pointQuery),
    ok: { 200: PushAnswer, 202: PushAnswer },
    handler: (request, reply) => handlePush(context, door, request, reply),
  });
  route({
    verb: "ack",
    method: "POST",
    url: `${path}/:messageId/ack`,
    summary: "Settle a leased message as delivered",
    schema: { querystring: PointQuery, params: MessageParams },
    documented: settling(pointQuery, Ack, settled),
    ok: settled,
    handler: async (request, reply) => {
      await acknowledge(await held(context, door, request), parseBody(Ack, request));
      return reply.code(204).send();
    },
  });
  route({
    verb: "nack",
    method: "POST",
    url: `${path}/:messageId/nack`,
    summary: "Settle a leased message as failed: to be tried again, or dead",
    schema: { querystring: PointQuery, params: MessageParams },
    documented: settling(pointQuery, Nack, settled),
    ok: settled,
    handler: async (request, reply) => {
      await refuse(await held(context, door, request), parseBody(Nack, request));
      return reply.code(204).send();
    },
  });
  route({
    verb: "extend",
    method: "POST",
    url: `${path}/:messageId/extend`,
    summary: "Lengthen the lease of a message",
    schema: { querystring: PointQuery, params: MessageParams },
    documented: settling(pointQuery, Extension, lengthened),
    ok: lengthened,
    handler: async (request) => {
      const until = await lengthen(await held(context, door, request), parseBody(Extension, request));
      return { leaseUntil: until.toISOString() };
    },
  });
}

async function handleLease(
  context: Context,
  door: Door,
  endpoint: ConnectorEndpoint,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const query = LeaseQuery.parse(request.query);
  const { tenantId } = tenantOf(request);
  const directory = await context.directory.of(tenantId);
  const point = resolvePoint(directory, door, {
    subtenant: query.subtenant,
    integrationPoint: query.integrationPoint,
    direction: "target",
  });
  if (point.deliveryMode !== "pull") {
    throw new ApiError("conflict", {
      detail: `The integration point '${point.code}' delivers by itself. Set its delivery mode to pull to fetch messages.`,
    });
  }
  const queueId = directory.queueOf(point.id, door.entityType);
  if (queueId === undefined)
    throw new ApiError("not-found", { detail: `The integration point '${point.code}' has no queue for ${door.entityType} messages.` });
  const wish = { max: query.max ?? 1, leaseSeconds: query.leaseSeconds, waitSeconds: query.wait };
  const send = (messages: LeasedMessage[]): FastifyReply => {
    const [first] = messages;
    if (!first) return reply.code(204).send();
    let isWritten = false;
    reply.raw.once("finish", () => (isWritten = true));
    onceClosed(reply.raw, () => {
      // Whoever has not got the whole answer knows none of its leases, which would count as failed attempts when they end.
      if (isWritten) return;
      giveBack(context.pool, tenantId, messages).catch((error: unknown) =>
        request.log.warn({ err: error }, "leases that nobody has end by themselves"),
      );
    });
    return reply.send(query.max === undefined ? first : { messages });
  };
  if (query.retry !== undefined) {
    if (!endpoint.canResend) throw new ApiError("bad-request", { detail: "This endpoint does not offer ?retry=" });
    return send([await leaseAgain(context.pool, directory, point, queueId, query.retry, wish)]);
  }
  const gone = new AbortController();
  let refusal: unknown = null;
  const unwatch = context.watchAccess(request, (error) => {
    refusal = error;
    gone.abort();
  });
  onceClosed(reply.raw, () => {
    unwatch();
    gone.abort();
  });
  const messages = await lease(context.pool, context.wakeUps, context.directory, point, queueId, wish, gone.signal);
  if (refusal !== null && messages.length === 0) throw refusal;
  return send(messages);
}

async function handlePush(context: Context, door: Door, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const findPoint = pointFinder(context, door, request);
  const point = await findPoint();
  if (isBatch(request)) {
    const ended = new AbortController();
    onceClosed(
      reply.raw,
      context.watchAccess(request, () => ended.abort()),
    );
    const closing = AbortSignal.any([context.closing, ended.signal]);
    // A proxy is to pass each result on when it comes.
    void reply.type("application/x-ndjson").header("x-accel-buffering", "no");
    return reply.send(pushStream({ ...context, closing }, door, findPoint, request));
  }
  return reply.send(await pushOne(context.intake, door, point, request, reply));
}

/** Finds a source's integration point for line after line; looks again only when the configuration has changed. */
function pointFinder({ directory }: Context, door: Door, request: FastifyRequest): () => Promise<Point> {
  const { subtenant, integrationPoint } = PointQuery.parse(request.query);
  const { tenantId } = tenantOf(request);
  let known: { of: TenantDirectory; point: Point } | null = null;
  return async () => {
    const of = await directory.of(tenantId);
    if (known?.of !== of) known = { of, point: resolvePoint(of, door, { subtenant, integrationPoint, direction: "source" }) };
    return known.point;
  };
}

async function held(context: Context, door: Door, request: FastifyRequest): Promise<Hold> {
  const { messageId } = MessageParams.parse(request.params);
  const { tenantId } = tenantOf(request);
  const tenant = await context.directory.of(tenantId);
  const { subtenant, integrationPoint } = PointQuery.parse(request.query);
  const isMeant = recognise(tenant, door, { subtenant, integrationPoint });
  return { pool: context.pool, tenantId, tenant, entityType: door.entityType, isMeant, messageId };
}

function tenantOf(request: FastifyRequest): TenantScope {
  if (request.tenantScope === null) throw new Error("a gateway route has no tenant");
  return request.tenantScope;
}

function parseBody<Schema extends z.ZodType>(schema: Schema, request: FastifyRequest): z.output<Schema> {
  const text = jsonTextOf(request, request.body instanceof Buffer ? request.body : Buffer.alloc(0));
  let json: unknown;
  try {
    json = parseWhole(text);
  } catch (cause) {
    throw cause instanceof ApiError ? cause : new ApiError("bad-json", { cause });
  }
  const result = schema.safeParse(json);
  if (result.success) return result.data;
  throw new ApiError("validation-failed", {
    errors: faultsOf(result.error.issues, (path) => ["body", ...path].map(String).join("/")),
  });
}
