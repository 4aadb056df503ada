import { randomUUID } from "node:crypto";
import { memoryBytes } from "@crossdock/db";
import cookie from "@fastify/cookie";
import helmet from "@fastify/helmet";
import rateLimit from "@fastify/rate-limit";
import Fastify, { LogController, type FastifyBaseLogger, type FastifyInstance, type FastifyRequest } from "fastify";
import { serializerCompiler, validatorCompiler } from "fastify-type-provider-zod";
import { createAccess, createAccessWatch, requirePermissions, type OnAccessChange } from "./access/access.ts";
import { registerAlertChannels } from "./alerts/channel-routes.ts";
import { registerAlerts } from "./alerts/routes.ts";
import { registerAlertRules } from "./alerts/rule-routes.ts";
import { registerAnnouncements } from "./announcements/routes.ts";
import { registerApiKeys } from "./api-keys/routes.ts";
import type { AppParts } from "./app-parts.ts";
import { registerAuditEvents } from "./audit-events/routes.ts";
import { joinChunks, limitBodyBytes, limitBodyTime, parseJsonBodies } from "./http/bodies.ts";
import { addBareHeaders, answerClientError, refuseSecondHost } from "./http/client-errors.ts";
import { refuseWhenClosing } from "./http/closing.ts";
import { registerComingSoon } from "./coming-soon/routes.ts";
import { registerConnectors } from "./connectors/routes.ts";
import { readableUrl, registerConsole } from "./console/routes.ts";
import { registerDeadLetters } from "./dead-letters/routes.ts";
import { createDenials } from "./api/denials.ts";
import type { Deps } from "./deps.ts";
import { registerEntities } from "./entities/routes.ts";
import { ApiError, handleError } from "./errors/errors.ts";
import { registerEvents } from "./events/routes.ts";
import { registerExportRuns } from "./export-runs/routes.ts";
import { registerExternalItems } from "./external-items/routes.ts";
import { registerExternalMessages } from "./external-messages/routes.ts";
import { registerGateway } from "./gateway/routes.ts";
import { registerHealth } from "./health/routes.ts";
import { registerHooks } from "./hooks/routes.ts";
import { registerImports } from "./imports/routes.ts";
import { registerIntegrationPoints } from "./integration-points/routes.ts";
import { refuseForMaintenance } from "./http/maintenance.ts";
import { permitExports } from "./api/list-route.ts";
import { registerJobs } from "./jobs/routes.ts";
import { registerMails } from "./mails/routes.ts";
import { registerMappings } from "./mappings/routes.ts";
import { registerMaskingRules } from "./masking-rules/routes.ts";
import { registerMessages } from "./messages/routes.ts";
import { registerMetrics } from "./metrics/routes.ts";
import { registerNotes } from "./notes/routes.ts";
import { registerOpenApi } from "./api/open-api.ts";
import { registerOverview } from "./overview/routes.ts";
import { registerQueues } from "./queues/routes.ts";
import { networkOf, withoutPorts } from "./http/network.ts";
import { registerReconciliation } from "./reconciliation/routes.ts";
import { registerRepair } from "./repair/routes.ts";
import { registerRetryQueue } from "./retry-queue/routes.ts";
import { registerSavedViews } from "./saved-views/routes.ts";
import { registerRuns } from "./runs/routes.ts";
import { permitScans } from "./api/scanning.ts";
import { registerSchedules } from "./schedules/routes.ts";
import { registerSearch } from "./search/routes.ts";
import { hashNewPassword } from "./session/new-password.ts";
import { createPasswordCheck } from "./session/password-check.ts";
import { registerProviders } from "./session/provider-routes.ts";
import { registerSession } from "./session/routes.ts";
import { registerSignUp } from "./sign-up/routes.ts";
import { registerSubtenants } from "./subtenants/routes.ts";
import { registerTenantLimits } from "./tenant-limits/routes.ts";
import { registerTenants } from "./tenants/routes.ts";
import { registerToolbox } from "./toolbox/routes.ts";
import { registerAccount } from "./users/account-routes.ts";
import { registerUsers } from "./users/routes.ts";

/** Bodies of the API; the gateway's routes set their own limit. */
const apiBodyLimitBytes = 1024 * 1024;

/** A body of the largest allowed size passes at 140 kB/s. */
const bodyTimeMsMax = 60_000;

/** At a stop, the rest of a request is waited for as long, and the reading of an answer. */
const lateMsMax = 5_000;

/** So many of the largest messages are taken in at a time, fewer with little memory: read and translated, one takes many times its size. */
const bodiesAtOnce = 16;
const bodiesMemoryShare = 1 / 32;

/** Of the routes that change what a tenant's directory holds. After others it would be read anew for nothing, for each part of an import. */
const directoryTags = new Set(["tenants", "subtenants", "integration-points", "mappings", "mapping-versions", "masking-rules", "limits"]);

/**
 * The HTTP side of a process: the rules that hold for every request, then every feature's routes by name.
 * Nothing is loaded by folder, so this file is the list of what the server offers.
 */
export async function createApp(deps: Deps, { liveEvents, directory, intake, mail }: AppParts): Promise<FastifyInstance> {
  const app = await createFoundation(deps, liveEvents.onAccessChange);
  // Whoever hears that a change is made finds it made.
  app.addHook("onSend", async ({ routeOptions: { config, schema }, tenantScope }) => {
    const isOfDirectory = schema?.tags?.some((tag) => directoryTags.has(tag)) ?? false;
    if (config.changes && isOfDirectory && tenantScope) directory.forget(tenantScope.tenantId);
  });
  registerHealth(app, deps);
  const passwords = { hashPassword: hashNewPassword, checkPassword: createPasswordCheck(deps) };
  registerSession(app, deps, passwords.checkPassword);
  registerProviders(app, deps);
  registerAccount(app, deps, passwords);
  registerUsers(app, deps, passwords, mail);
  registerSignUp(app, deps, mail);
  registerMails(app, deps);
  registerTenants(app, deps);
  registerTenantLimits(app, deps);
  registerSubtenants(app, deps);
  registerIntegrationPoints(app, deps, directory);
  registerMappings(app, deps, directory);
  registerMaskingRules(app, deps);
  registerApiKeys(app, deps);
  registerComingSoon(app, deps);
  registerConnectors(app);
  registerQueues(app, deps);
  registerMessages(app, deps);
  registerDeadLetters(app, deps);
  registerRepair(app, deps);
  registerRetryQueue(app, deps);
  registerJobs(app, deps, directory);
  registerExternalItems(app, deps);
  registerEntities(app, deps, directory);
  registerExternalMessages(app, deps, { directory, intake });
  registerMetrics(app, deps);
  registerAlerts(app, deps);
  registerAlertRules(app, deps);
  registerAlertChannels(app, deps, { mail });
  registerSchedules(app, deps, directory);
  registerRuns(app, deps, directory);
  registerReconciliation(app, deps);
  registerExportRuns(app, deps);
  registerImports(app, deps, directory);
  registerToolbox(app, deps, { directory, intake });
  registerOverview(app, deps);
  registerNotes(app, deps);
  registerSearch(app, deps);
  registerSavedViews(app, deps);
  registerAnnouncements(app, deps);
  registerAuditEvents(app, deps);
  registerEvents(app, liveEvents);
  registerGateway(app, deps, { directory, intake });
  registerHooks(app, deps, directory, intake);
  registerConsole(app, deps.config.environment);
  await app.ready();
  return app;
}

async function createFoundation({ config, pools, logger, keys, meter }: Deps, onAccessChange: OnAccessChange): Promise<FastifyInstance> {
  // Widened, so that `app` has Fastify's plain type.
  const loggerInstance: FastifyBaseLogger = logger;
  const app = Fastify({
    loggerInstance,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: apiBodyLimitBytes,
    // A streamed batch may take an hour. Slow senders are cut off by the limits for headers and for a connection on which nothing moves.
    requestTimeout: 3_600_000,
    connectionTimeout: 120_000,
    keepAliveTimeout: 72_000,
    trustProxy: config.trustProxy.length > 0 ? config.trustProxy : false,
    exposeHeadRoutes: false,
    // `refuseWhenClosing` answers as every other error is answered.
    return503OnClosing: false,
    forceCloseConnections: "idle",
    routerOptions: { maxParamLength: 200 },
    rewriteUrl: readableUrl,
    clientErrorHandler: (error, socket) => answerClientError(error, socket),
    // No hook runs for these.
    frameworkErrors: (error, request, reply) => {
      addBareHeaders(reply);
      void reply.header("x-request-id", request.id);
      void handleError(error, request, reply);
    },
  });
  app.server.headersTimeout = 30_000;
  app.setValidatorCompiler(validatorCompiler);
  app.setSerializerCompiler(serializerCompiler);
  const keepDenial = createDenials(pools.app);
  app.setErrorHandler(async (error, request, reply) => {
    await keepDenial(error, request);
    return handleError(error, request, reply);
  });
  app.decorateRequest("principal", null);
  app.decorateRequest("tenantScope", null);
  app.decorateRequest("isAudited", false);
  requirePermissions(app);
  permitExports(app);
  permitScans(app);
  if (config.trustProxy.length > 0) app.addHook("onRequest", async (request) => readForwardedFor(request));
  app.addHook("onRequest", async (request, reply) => {
    void reply.header("x-request-id", request.id);
    // An answer is for its caller. A cache in between would not see that where he names himself by an API key's own header.
    void reply.header("cache-control", "no-store");
    // Answers to programs don't get the headers for browsers that come below.
    if (isForPrograms(request)) addBareHeaders(reply);
  });
  refuseSecondHost(app);
  refuseWhenClosing(app, lateMsMax);
  parseJsonBodies(app);
  joinChunks(app);
  limitBodyTime(app, bodyTimeMsMax);
  limitBodyBytes(app, Math.min(bodiesAtOnce * config.bodyLimitBytes, bodiesMemoryShare * memoryBytes()));
  const access = createAccess(pools.app, keys, onAccessChange);
  await registerProtection(app, config, access);
  if (config.isUnderMaintenance) refuseForMaintenance(app);
  app.decorate("authorise", access.authorise);
  app.decorate("watchAccess", createAccessWatch(app.authorise, onAccessChange));
  app.addHook("onRequest", (request) => app.authorise(request));
  app.addHook("onResponse", async (request, reply) => {
    const line = {
      requestId: request.id,
      method: request.method,
      route: request.routeOptions.url,
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
    };
    // On level debug: a failure is logged with its cause when it is answered.
    request.log.debug(line, "request");
    meter?.request(request.method, request.routeOptions.url ?? "none", reply.statusCode, reply.elapsedTime / 1000);
  });
  await registerOpenApi(app);
  return app;
}

async function registerProtection(
  app: FastifyInstance,
  config: Deps["config"],
  { bringsUnknownKey }: Pick<ReturnType<typeof createAccess>, "bringsUnknownKey">,
): Promise<void> {
  await app.register(cookie);
  const isTls = config.publicUrl?.startsWith("https:") ?? false;
  await app.register(helmet, {
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'self'"],
        // The console consists of our own files only. Its positioned popups and virtual lists set style attributes.
        styleSrcAttr: ["'unsafe-inline'"],
        imgSrc: ["'self'", "data:"],
        fontSrc: ["'self'", "data:"],
        objectSrc: ["'none'"],
        baseUri: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
      },
    },
    strictTransportSecurity: isTls,
    crossOriginOpenerPolicy: isTls,
    originAgentCluster: isTls,
  });
  await app.register(rateLimit, {
    // The plugin's own hooks stand on the routes, and so behind `authorise`: who is refused there would not be counted.
    global: false,
    // They also run once for a request at most: a route's own limit is read here, and counted apart.
    max: (request) => ownLimit(request) ?? config.rateLimitPerMinute,
    timeWindow: "1 minute",
    keyGenerator: (request) => counterOf(request) + networkOf(request.ip),
    // Intake has its own backpressure, and a busy source system is not an attack. An unknown key may be a guess, and would have to be looked up; one that
    // is signed or was found is not kept out by guesses from the same address. What no route answers are the console's files.
    allowList: (request) => (isForPrograms(request) && !(isGateway(request) && bringsUnknownKey(request))) || request.is404,
    errorResponseBuilder: (_request, context) => new ApiError("too-many-requests", { retryAfterSeconds: Math.ceil(context.ttl / 1000) }),
  });
  app.addHook("onRequest", app.rateLimit());
}

/** How many requests a minute a route takes from one network, where it states that. */
function ownLimit({ routeOptions }: FastifyRequest): number | null {
  const { rateLimit: own } = routeOptions.config;
  return typeof own === "object" && typeof own.max === "number" ? own.max : null;
}

/** Counted apart are routes with a limit of their own, and the gateway, so that a console and a program behind one address don't use up each other's requests. */
function counterOf(request: FastifyRequest): string {
  if (ownLimit(request) !== null) return `${request.routeOptions.url} `;
  return isGateway(request) ? "gateway " : "";
}

/** Before anybody asks for the caller's address. */
function readForwardedFor({ raw: { headers } }: FastifyRequest): void {
  const { "x-forwarded-for": forwardedFor } = headers;
  if (typeof forwardedFor === "string") headers["x-forwarded-for"] = withoutPorts(forwardedFor);
}

/** The gateway's and the hooks' routes, which no browser calls. */
const isForPrograms = (request: FastifyRequest): boolean => isGateway(request) || request.routeOptions.url?.startsWith("/hooks/") === true;

const isGateway = ({ routeOptions }: FastifyRequest): boolean => routeOptions.config.permission === "gateway";
