import { connectorCatalogue, type ConnectorCode, type EntityType } from "@crossdock/contract";
import { z } from "zod";
import { toError } from "./client.ts";

const Result = z.object({
  line: z.number(),
  status: z.number(),
  state: z.enum(["accepted", "unchanged", "rejected", "ignored"]).optional(),
  messageIds: z.array(z.string()).optional(),
  isDuplicate: z.boolean().optional(),
  code: z.string().optional(),
  title: z.string().optional(),
  reasons: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
/** What the gateway says to one line of a batch; a refused one has `code`, and its reasons in `errors`. */
export type PushResult = z.infer<typeof Result>;

/** A door of the gateway: who hands in (an API key), as which integration point, and what. */
export type Door = {
  url: string;
  key: string;
  connector: ConnectorCode;
  subtenant: string;
  integrationPoint: string;
  entityType: EntityType;
};

/**
 * Hands a batch in, one raw message per line, and answers a result for each. Safe to repeat with the same `idempotencyKey` and the same lines.
 * Throws RequestError when the batch as a whole was refused.
 */
export async function pushBatch(door: Door, lines: readonly string[], idempotencyKey?: string): Promise<PushResult[]> {
  const answer = await fetch(pushUrl(door), {
    method: "POST",
    headers: {
      "content-type": "application/x-ndjson",
      "x-api-key": door.key,
      ...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
    },
    body: lines.map((line) => `${line}\n`).join(""),
  });
  if (!answer.ok) throw await toError(answer);
  const text = await answer.text();
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Result.parse(JSON.parse(line)));
}

/** The address at which an integration point of the environment production hands messages in. Throws when its connector has no such endpoint. */
function pushUrl({ url, connector, subtenant, integrationPoint, entityType }: Door): URL {
  const { basePath, endpoints, name } = connectorCatalogue[connector];
  const endpoint = endpoints.find((one) => one.entityType === entityType);
  if (endpoint === undefined) throw new Error(`${name} has no endpoint for ${entityType}`);
  const target = new URL(`${basePath}/${endpoint.path}`, url);
  target.searchParams.set("subtenant", subtenant);
  target.searchParams.set("integrationPoint", integrationPoint);
  return target;
}
