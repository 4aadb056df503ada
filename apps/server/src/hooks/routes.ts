import type { FastifyInstance, FastifyRequest } from "fastify";
import { connectors } from "@crossdock/connectors";
import { Problem } from "@crossdock/contract";
import { z } from "zod";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors.ts";
import { singleHeaders } from "../headers.ts";
import type { Directory, Point } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";

const Params = z.object({ hookId: z.uuid() });
const Answer = z.object({
  externalMessageId: z.string(),
  state: z.enum(["accepted", "unchanged", "rejected", "ignored"]),
  isDuplicate: z.boolean(),
});

/**
 * Webhooks of source systems. 202 says that the message is kept, not that it could be used: a system that is told of an error sends the
 * same again and in the end unsubscribes, while the fault is ours to mend. Only bodies that are no JSON are the sender's fault.
 */
export function registerHooks(app: FastifyInstance, { config }: Deps, directory: Directory, intake: Intake): void {
  void app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    // The signature is over the bytes as they came.
    scope.addContentTypeParser("*", { parseAs: "buffer", bodyLimit: config.bodyLimitBytes }, (_request, body, done) => done(null, body));
    scope.route({
      method: "POST",
      url: "/hooks/:hookId",
      config: { permission: "public", changes: false, readByHand: { body: z.unknown().describe("As the system sends it") } },
      // Browsers do not call here.
      helmet: false,
      schema: {
        summary: "Take a webhook in; the signature is checked by the scheme of the integration point's system",
        tags: ["hooks"],
        security: [],
        params: z.object({ hookId: z.string() }),
        response: { 202: Answer, default: Problem },
      },
      // Before the body is read: nothing is read from callers who guess addresses.
      onRequest: async (request) => void (await findPoint(directory, request.params)),
      handler: async (request, reply) => reply.code(202).send(await receiveHook(directory, intake, request)),
    });
  });
}

async function receiveHook(directory: Directory, intake: Intake, request: FastifyRequest): Promise<z.output<typeof Answer>> {
  const point = await findPoint(directory, request.params);
  const body = request.body instanceof Buffer ? request.body : Buffer.alloc(0);
  const headers = singleHeaders(request.headers);
  const connector = connectors[point.connector];
  const { credentials } = point;
  if (credentials === null) {
    const cause = new Error(`the credentials of integration point ${point.id} cannot be opened: were they sealed with another secret?`);
    throw new ApiError("unavailable", { detail: "The webhook secret cannot be opened.", retryAfterSeconds: 300, cause });
  }
  const signature = connector.verify({ body, headers, credentials, now: new Date() });
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
  if (!point || !subtenant || !point.isActive || point.direction === "target" || !subtenant.isActive) throw notFound();
  if (subtenant.isIncomingPaused) throw new ApiError("unavailable", { detail: "Intake is paused.", retryAfterSeconds: 60 });
  return point;
}
