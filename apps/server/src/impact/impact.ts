import { setImmediate } from "node:timers/promises";
import { applyMappings, connectors, missingMappingError } from "@crossdock/connectors";
import { connectorCatalogue, EntityType, previewSamplesMax, type Impact, type ImpactSample } from "@crossdock/contract";
import type pg from "pg";
import { findExternalItems, type ExternalItem } from "../delivery/external-items.ts";
import { recordAttempt, secretsOf } from "../delivery/recording.ts";
import type { Point } from "../intake/directory.ts";
import type { MappingIndex } from "../intake/mapping-index.ts";
import type { Masking } from "../masking/masking.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";
import type { PreviewMessage } from "./messages.ts";

/** Mappings and integration points by which messages would go out. */
export type Way = { mappingsOf: MappingIndex; pointOf: (targetId: number) => Point | undefined };

/** `mapped` is the document of a delivery that may take several requests: the first may be a question that says nothing of it. */
type Outcome = { request: NonNullable<ImpactSample["before"]>; mapped: string | null } | { error: string };

/** Messages, with all that the database knows of their deliveries. */
type Compared = {
  messages: readonly PreviewMessage[];
  items: readonly (ExternalItem | null)[];
  codes: ReadonlyMap<number, string>;
};

export async function readCompared(client: pg.ClientBase, tenantId: number, messages: readonly PreviewMessage[]): Promise<Compared> {
  return { messages, items: await readItems(client, tenantId, messages), codes: await readSubtenantCodes(client, tenantId) };
}

/** A comparison ends after this time, with the messages that it has looked at. */
const compareMsMax = 20_000;

type Compare = {
  ways: { before: Way; after: Way };
  masking: Masking;
  /**
   * An expression of the caller's may spell a personal value in any way, and a count of where one holds tells as much of it: for who may not reveal
   * the documents are masked before.
   */
  mayReveal: boolean;
};

/**
 * Puts messages through two ways and says what differs in the first request of each delivery. Nothing is sent. The tenant's expressions take
 * their time, so no connection to the database is held meanwhile: there are few, and all tenants' lists need them. Between two messages whatever
 * else waits in the process has its turn.
 */
export async function compareWays({ messages, items, codes }: Compared, { ways, masking, mayReveal }: Compare): Promise<Impact> {
  const { before, after } = ways;
  const impact: Impact = { examined: 0, same: 0, changed: 0, broken: 0, repaired: 0, unsure: 0, samples: [] };
  const endsAt = performance.now() + compareMsMax;
  for (const [index, message] of messages.entries()) {
    if (performance.now() > endsAt) break;
    await setImmediate();
    const item = items[index] ?? null;
    const document = mayReveal ? message.document : masking.maskText(message.document);
    const given = { ...message, document };
    const [one, other] = [await firstRequest(before, given, item), await firstRequest(after, given, item)];
    if (!one || !other) continue;
    impact.examined += 1;
    const effect = effectOf(one, other);
    if (effect === null) impact.same += 1;
    else if (effect === "still-broken") impact.changed += 1;
    else impact[effect] += 1;
    // Mappings change the document, which is compared whole; settings may change what follows an answer.
    const isOtherPoint = before.pointOf(message.targetId) !== after.pointOf(message.targetId);
    if (effect === null && isOtherPoint && "request" in one && one.mapped !== null) impact.unsure += 1;
    if (effect === null || impact.samples.length >= previewSamplesMax) continue;
    const { messageId, key, entityType, queueName, subtenantId } = message;
    impact.samples.push({
      messageId,
      key,
      entityType,
      queueName,
      subtenantCode: codes.get(subtenantId) ?? null,
      effect,
      ...shown(one, other, masking, mayReveal ? masking.valuesIn(document) : []),
    });
  }
  return impact;
}

function shown(one: Outcome, other: Outcome, masking: Masking, values: readonly string[]) {
  return {
    before: "request" in one ? maskedRequest(toldBy(one, other), masking, values) : null,
    after: "request" in other ? maskedRequest(toldBy(other, one), masking, values) : null,
    errorBefore: "error" in one ? masking.scrub(one.error, values) : null,
    errorAfter: "error" in other ? masking.scrub(other.error, values) : null,
  };
}

async function readItems(client: pg.ClientBase, tenantId: number, messages: readonly PreviewMessage[]): Promise<(ExternalItem | null)[]> {
  const keys = messages.map(({ targetId, entityType, key }) => {
    const type = EntityType.safeParse(entityType);
    return { integrationPointId: targetId, entityType: type.data ?? ("item" as const), key };
  });
  return findExternalItems(client, tenantId, keys);
}

type Outgoing = Pick<PreviewMessage, "messageId" | "targetId" | "entityType" | "key" | "headers" | "document">;

/** The first request of a message's delivery, or why there would be none. Null for what nobody would deliver. */
export async function firstRequest(
  { mappingsOf, pointOf }: Way,
  message: Outgoing,
  item: Pick<ExternalItem, "externalId"> | null,
): Promise<Outcome | null> {
  const point = pointOf(message.targetId);
  const entityType = EntityType.safeParse(message.entityType);
  if (!point || !entityType.success) return null;
  const { document, missing } = applyMappings(JSON.parse(message.document), mappingsOf(message.headers["source"] ?? "*", point));
  if (missing.length > 0) return { error: missingMappingError(missing).message };
  const mapped = JSON.stringify(document);
  if (point.deliveryMode === "pull") return pullOf(point, entityType.data, mapped);
  if (point.credentials === null) return { error: "credentials cannot be opened" };
  const { settings, credentials, connector } = point;
  const request = await connectors[connector].request({
    entityType: entityType.data,
    document: mapped,
    key: message.key,
    externalId: item?.externalId ?? null,
    settings,
    credentials,
    messageId: message.messageId,
    now: new Date(),
  });
  if ("kind" in request) return { error: request.error.message };
  // As the history would keep it: cut, and without secrets.
  const kept = recordAttempt(0, request, null, null, secretsOf(credentials)).request;
  const several = request.read !== undefined || request.body === null;
  return { request: { method: request.method, url: kept?.url ?? "", body: kept?.body ?? mapped }, mapped: several ? mapped : null };
}

/** What an outside worker asks for, and the document that it is handed. */
function pullOf({ connector, isDevelopment }: Point, entityType: EntityType, mapped: string): Outcome | null {
  const { basePath, devBasePath, endpoints } = connectorCatalogue[connector];
  const endpoint = endpoints.find((each) => each.entityType === entityType);
  if (!endpoint) return null;
  const path = `${isDevelopment ? devBasePath : basePath}/${endpoint.path}`;
  return { request: { method: "GET", url: endpoint.hasNext ? `${path}/next` : path, body: mapped }, mapped: null };
}

type Request = NonNullable<ImpactSample["before"]>;

/** As it may be shown. */
export function maskedRequest({ method, url, body }: Request, { maskText, scrub }: Masking, values: readonly string[]): Request {
  return { method, url: scrub(url, values), body: body && maskText(body, values) };
}

function effectOf(before: Outcome, after: Outcome): ImpactSample["effect"] | null {
  if ("error" in before) {
    if (!("error" in after)) return "repaired";
    return before.error === after.error ? null : "still-broken";
  }
  if ("error" in after) return "broken";
  return isSameStart(before, after) && before.mapped === after.mapped ? null : "changed";
}

type Sent = Exclude<Outcome, { error: string }>;

const isSameStart = (one: Sent, other: Sent): boolean => JSON.stringify(one.request) === JSON.stringify(other.request);

/** What shows the difference to the other way: where both begin with the same question, the document tells what will be. */
function toldBy(sent: Sent, other: Outcome): Request {
  return "request" in other && isSameStart(sent, other) ? { ...sent.request, body: sent.mapped } : sent.request;
}
