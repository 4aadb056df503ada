import { applyMappings, connectors, missingMappingError, type Dead, type DeliveryError, type Retry } from "@crossdock/connectors";
import { EntityType, type ExternalItemKey } from "@crossdock/contract";
import type { Attempt, AttemptVersions, Delivery, Handler, Outcome } from "@crossdock/queue";
import type { Logger } from "pino";
import type { Directory, Point, TenantDirectory } from "../intake/directory.ts";
import type { Tracing } from "../tracing.ts";
import { watchEgress, type DebugRecord } from "./debugging.ts";
import { exchange, type Exchange, type ExchangeDeps } from "./exchange.ts";
import { deliveryHash, type CompletedDelivery, type ExternalItem } from "./external-items.ts";
import { recordAttempt, secretsOf } from "./recording.ts";
import { traceEgress } from "./traced-egress.ts";
import { untilBack } from "./until-back.ts";

type DeliveryDeps = ExchangeDeps & {
  directory: Directory;
  logger: Logger;
  tracing?: Tracing | null;
  findExternalItem: (tenantId: number, key: ExternalItemKey) => Promise<ExternalItem | null>;
  storeDelivery: (tenantId: number, delivery: CompletedDelivery) => Promise<void>;
  storeDebugRecord: (tenantId: number, record: DebugRecord) => Promise<void>;
};

/** After this time a message is looked at again whose target was found paused or removed. */
const releaseDelayMs = 5_000;
/** For so long a target whose credentials cannot be opened here is left to other machines, which may have the key. */
const sealedRestMs = 10_000;

type OpenPoint = Point & { credentials: Record<string, unknown> };

/** The engine's handler: sends one message to its target and says what became of it. Nothing that the target or the document does makes it throw. */
export function createHandler(deps: DeliveryDeps): Handler {
  const { tracing } = deps;
  if (!tracing) return plainHandler(deps);
  return async (delivery, signal) => {
    const trace = tracing.deliver(delivery);
    const egress = trace ? traceEgress(deps.egress, trace) : deps.egress;
    let outcome: Outcome | null = null;
    try {
      return (outcome = await plainHandler({ ...deps, egress })(delivery, signal));
    } finally {
      trace?.end(outcome);
    }
  };
}

function plainHandler(deps: DeliveryDeps): Handler {
  return async (delivery, signal) => {
    const directory = await untilBack(() => deps.directory.of(delivery.tenantId), signal);
    const point = directory.points.get(delivery.targetId);
    const entityType = EntityType.safeParse(delivery.entityType);
    if (!point || !isOpen(point, directory) || !entityType.success) return { kind: "released", delayMs: releaseDelayMs };
    if (point.credentials === null) return { kind: "released", restMs: sealedRestMs };
    return deliver(deps, directory, { ...point, credentials: point.credentials }, entityType.data, delivery, signal);
  };
}

/** The engine hands out nothing of what is paused; this is for messages that were in hand at that moment. */
function isOpen(point: Point, directory: TenantDirectory): boolean {
  const subtenant = directory.subtenants.get(point.subtenantId);
  return (
    directory.isActive &&
    point.isActive &&
    point.targetTypes.length > 0 &&
    point.deliveryMode === "push" &&
    subtenant !== undefined &&
    subtenant.isActive &&
    !subtenant.isOutgoingPaused
  );
}

async function deliver(
  deps: DeliveryDeps,
  directory: TenantDirectory,
  point: OpenPoint,
  entityType: EntityType,
  delivery: Delivery,
  signal: AbortSignal,
): Promise<Outcome> {
  const { tenantId, key, subtenantId, messageId, attempt } = delivery;
  const begun = performance.now();
  const secrets = secretsOf(point.credentials);
  const versions = versionsOf(directory, point);
  /** The target may repeat what it was told. */
  const concealed = <Kept extends DeliveryError | null>(error: Kept, ...documents: string[]): Kept =>
    error && { ...error, message: directory.masking.scrub(error.message, documents.flatMap(directory.masking.valuesIn)) };
  const unsent = (error: DeliveryError): Attempt => unsentAttempt(directory, point, delivery.document, error, performance.now() - begun);

  const mapped = mapDocument(directory, point, delivery);
  if ("error" in mapped) return { kind: "dead", attempt: unsent(mapped.error) };
  const itemKey = { integrationPointId: point.id, entityType, key };
  const known = mayNeedItem(point, entityType, delivery) ? await untilBack(() => deps.findExternalItem(tenantId, itemKey), signal) : null;
  const hash = deliveryHash(point, mapped.document);
  // Delivered and remembered by a worker that ended before it could settle. Equal content of another message is sent all the same:
  // between the two may lie a delivery whose answer was lost, and the target would keep that one's content.
  if (known?.messageId === messageId && known.deliveredHash?.equals(hash)) return { kind: "delivered", attempt: { durationMs: 0 } };

  const { settings, credentials, connector } = point;
  const externalId = known?.externalId ?? null;
  const first = await connectors[connector].request({
    entityType,
    document: mapped.document,
    key,
    externalId,
    settings,
    credentials,
    messageId,
    now: new Date(),
  });
  if ("kind" in first) return toOutcome(first, unsent(first.error));

  if (signal.aborted) return { kind: "released" };
  const watched = directory.subtenants.get(point.subtenantId)?.isDebugged ? watchEgress(deps.egress, secrets) : null;
  const exchanged = await exchange(watched ? { ...deps, egress: watched.egress } : deps, point, itemKey, first, signal);
  const error = concealed(exchanged.error, delivery.document, mapped.document);
  const sent = recordAttempt(performance.now() - begun, exchanged.request, exchanged.response, error, secrets);
  const { leftOut } = first;
  const recorded = { ...withoutDocument(sent, delivery.document), versions, ...(leftOut && { leftOut }) };
  if (exchanged.kind === "delivered") {
    const completed = { ...itemKey, system: point.system, subtenantId, externalId: exchanged.externalId, deliveredHash: hash, messageId };
    await untilBack(() => deps.storeDelivery(tenantId, completed), signal);
  }
  if (watched) await keepDebugRecord(deps, tenantId, { messageId, attempt, exchanges: watched.exchanges });
  return toOutcome(exchanged, recorded);
}

/** A delivery stands, whether or not its debug record can be kept. */
async function keepDebugRecord({ storeDebugRecord, logger }: DeliveryDeps, tenantId: number, record: DebugRecord): Promise<void> {
  await storeDebugRecord(tenantId, record).catch((error: unknown) =>
    logger.warn({ err: error, tenantId, messageId: record.messageId }, "what debug mode saw could not be kept"),
  );
}

/** What the target was told before matters to requests that name its own id, and to a message that may have been delivered already. */
function mayNeedItem({ connector, settings }: Point, entityType: EntityType, { isUntried }: Delivery): boolean {
  return !isUntried || (connectors[connector].needsExternalId?.({ entityType, settings }) ?? true);
}

/** A document sent as it stands is kept once, as the message's: with the attempt it would be most of what a delivery writes. */
function withoutDocument(attempt: Attempt, document: string): Attempt {
  const { request } = attempt;
  return request?.body === document ? { ...attempt, request: { ...request, body: null, isDocument: true } } : attempt;
}

function toOutcome(exchanged: Exchange | Retry | Dead, attempt: Attempt): Outcome {
  if (exchanged.kind !== "retry") return { kind: exchanged.kind, attempt };
  const { isTargetFault, retryAfterMs } = exchanged;
  return { kind: "retry", attempt, isTargetFault, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) };
}

function versionsOf({ mappingVersion }: TenantDirectory, { version }: Point): AttemptVersions {
  return { mapping: mappingVersion, configuration: version };
}

/** The attempt of a message that failed before anything was sent. */
export function unsentAttempt(
  directory: TenantDirectory,
  point: Point,
  document: string,
  error: DeliveryError,
  durationMs: number,
): Attempt {
  const { masking } = directory;
  const told = { ...error, message: masking.scrub(error.message, masking.valuesIn(document)) };
  return { ...recordAttempt(durationMs, null, null, told, secretsOf(point.credentials ?? {})), versions: versionsOf(directory, point) };
}

/** The document in the target's words, as the mappings of this moment have it. */
export function mapDocument(
  directory: TenantDirectory,
  point: Point,
  delivery: Pick<Delivery, "document" | "headers">,
): { document: string } | { error: DeliveryError } {
  const mappings = directory.mappingsOf(delivery.headers.source ?? "*", point);
  if (mappings.isEmpty) return { document: delivery.document };
  const { document, missing } = applyMappings(JSON.parse(delivery.document), mappings);
  return missing.length > 0 ? { error: missingMappingError(missing) } : { document: JSON.stringify(document) };
}
