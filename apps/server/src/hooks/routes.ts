import type { FastifyInstance, FastifyRequest } from "fastify";
import { connectors } from "@crossdock/connectors";
import { Problem } from "@crossdock/contract";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { compressionFault } from "../http/bodies.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { singleHeaders } from "../masking/headers.ts";
import type { Directory, Point } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";
import { problems } from "../api/open-api.ts";

const Params = z.object({ hookId: z.uuid() });
/** Systems make it up of letters and digits; nothing else is said again to whoever asks. */
const Echo = z.object({ echo: z.string().regex(/^[\w-]{1,100}$/) });
const Answer = z.object({
  externalMessageId: z.string(),
  state: z.enum(["accepted", "unchanged", "rejected", "ignored"]),
  isDuplicate: z.boolean(),
});
/** Which of them a system sends is its own affair; without a webhook secret none is asked for. */
const signatureHeaders = z.object({
  "webhook-id": z.string().optional().describe("Standard Webhooks: tells a repetition"),
  "webhook-timestamp": z.string().optional().describe("Standard Webhooks: seconds since 1970, at most five minutes from the server's"),
  "webhook-signature": z
    .string()
    .optional()
    .describe("Standard Webhooks: `v1,` and the base64 of the HMAC-SHA256 over `{id}.{timestamp}.{body}`"),
  "X-Centra-Signature": z
    .string()
    .optional()
    .describe("Centra: `t=` the seconds since 1970, `,v1=` the hex of the HMAC-SHA256 over `{t}.{body}`"),
  "ms-signature": z.string().optional().describe("Litium: `sha256=` and the hex of the HMAC-SHA256 over the body"),
  "x-adobe-commerce-webhook-signature": z
    .string()
    .optional()
    .describe("Adobe Commerce: base64 of the signature with SHA-256 over the body in base64"),
  "X-Shopify-Hmac-Sha256": z.string().optional().describe("Shopify: base64 of the HMAC-SHA256 over the body"),
  "X-Shopify-Webhook-Id": z.string().optional().describe("Shopify: tells a repetition"),
  "X-Shopify-Topic": z.string().optional().describe("Shopify: what the body is"),
  "x-crossdock-entity-type": z.string().optional().describe("Where the connector cannot tell: the entity type of the message"),
});

const documentedEcho = {
  querystring: z.object({ echo: z.string().optional().describe("Letters, digits, `_` and `-`, at most 100") }),
  response: {
    200: { description: "The echo", content: { "text/plain": { schema: z.string() } } },
    ...problems({
      404: "`not-found`: no active integration point takes webhooks here",
      405: "`method-not-allowed`: its system asks for no echo, or there is nothing to echo",
    }),
  },
};

const documented = {
  headers: signatureHeaders,
  body: z.unknown().describe("As the system sends it"),
  response: {
    202: Answer.describe("Kept"),
    ...problems({
      400: "`bad-json`: kept as a rejected external message",
      401: "`signature-invalid`: kept as a rejected external message",
      404: "`not-found`: no active integration point takes webhooks here",
      415: "`media-type-unsupported`: not kept; bodies come uncompressed",
    }),
  },
};

/**
 * Webhooks of source systems. 202 says that the message is kept, not that it could be used: a system that is told of an error sends the
 * same again and in the end unsubscribes, while the fault is ours to mend. Only bodies that are no JSON are the sender's fault.
 */
export function registerHooks(app: FastifyInstance, { config }: Deps, directory: Directory, intake: Intake): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The signature is over the bytes as they came.
    scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
    scope.route({
      method: "POST",
      url: "/hooks/:hookId",
      bodyLimit: config.bodyLimitBytes,
      config: {
        permission: "public",
        changes: false,
        documented,
      },
      // Browsers do not call here.
      helmet: false,
      schema: {
        operationId: "receiveWebhook",
        summary: "Take a webhook in; the signature is checked by the scheme of the integration point's system",
        description: "202 says that the message is kept, also when it could not be translated (`rejected`).",
        tags: ["hooks"],
        security: [],
        params: z.object({ hookId: z.string() }),
        response: { 202: Answer, default: Problem },
      },
      // Before the body is read: nothing is read from callers who guess addresses.
      onRequest: async (request) => {
        request.hookTenantId = (await findPoint(directory, request.params)).tenantId;
      },
      handler: async (request, reply) => reply.code(202).send(await receiveHook(directory, intake, request)),
    });
    scope.route({
      method: "GET",
      url: "/hooks/:hookId",
      exposeHeadRoute: false,
      config: { permission: "public", documented: documentedEcho },
      schema: {
        operationId: "echoWebhook",
        summary: "Answer a system that asks whether webhooks may come here",
        tags: ["hooks"],
        security: [],
        params: z.object({ hookId: z.string() }),
        response: { default: Problem },
      },
      handler: async (request, reply) => {
        const { connector } = await findPoint(directory, request.params);
        const { data } = Echo.safeParse(request.query);
        if (!data || connectors[connector].asksForEcho !== true) {
          void reply.header("allow", "POST");
          throw new ApiError("method-not-allowed");
        }
        return reply.type("text/plain; charset=utf-8").send(data.echo);
      },
    });
  });
}

async function receiveHook(directory: Directory, intake: Intake, request: FastifyRequest): Promise<z.output<typeof Answer>> {
  const point = await findPoint(directory, request.params);
  const packed = compressionFault(request);
  if (packed) throw packed;
  const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  const headers = singleHeaders(request.headers);
  const connector = connectors[point.connector];
  const { settings, credentials } = point;
  if (credentials === null) throw new ApiError("unavailable", { detail: "The webhook secret cannot be opened.", retryAfterSeconds: 300 });
  const signature = connector.verify({ body, headers, settings, credentials, now: new Date() });
  const name = connector.dedupeKey(headers, body);
  const { fault, ...receipt } = await intake.receive({
    point,
    channel: "hook",
    entityType: null,
    headers,
    body,
    signature,
    dedupeName: name === null ? null : `hook ${name}`,
  });
  const kept = `Kept as external message ${receipt.externalMessageId}.`;
  if (signature === "invalid" || signature === "missing" || signature === "stale") {
    const why = receipt.reasons.map(({ message }) => message).join(" ");
    throw new ApiError("signature-invalid", { detail: `${why} ${kept}`, errors: receipt.reasons });
  }
  if (fault) throw new ApiError(fault.code, { detail: `${fault.message} ${kept}` });
  // If a webhook id comes again with another body, that is the system's own affair; the first body counts.
  const { externalMessageId, state, isDuplicate } = receipt;
  return { externalMessageId, state, isDuplicate };
}

async function findPoint(directory: Directory, params: unknown): Promise<Point> {
  const { data } = Params.safeParse(params);
  const place = data ? await directory.pointOfHook(data.hookId) : null;
  if (!place) throw notFound();
  const tenant = await directory.of(place.tenantId);
  const point = tenant.points.get(place.pointId);
  const subtenant = point && tenant.subtenants.get(point.subtenantId);
  if (!point || !subtenant || !point.isActive || point.sourceTypes.length === 0 || !subtenant.isActive) throw notFound();
  if (subtenant.isIncomingPaused) throw new ApiError("unavailable", { detail: "Intake is paused.", retryAfterSeconds: 60 });
  return point;
}
