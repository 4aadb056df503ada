import { setImmediate } from "node:timers/promises";
import { parseJson } from "@crossdock/connectors";
import { canonicalSchemas, type EntityType, type HandedDocument, type ToolboxRequest, type ToolboxResult } from "@crossdock/contract";
import type pg from "pg";
import { inTenant } from "../db.ts";
import { findExternalItems, type ExternalItem } from "../delivery/external-items.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because, faultBecause, faultsOf, inDocument } from "../errors/faults.ts";
import { firstRequest, maskedRequest } from "../impact/impact.ts";
import { closedBecause, type Directory, type Point, type TenantDirectory } from "../intake/directory.ts";
import type { Arrival, Intake } from "../intake/intake.ts";
import type { RoutedRecord, Translation } from "../intake/job.ts";
import { reasonsMax, routeDocuments, turnMax } from "../intake/translate.ts";
import { requireSource } from "../runs/open-source.ts";

type Request = Extract<ToolboxRequest, { operation: "publish-test" | "validate" }>;
type HandedIn = Extract<ToolboxResult, { kind: "handed-in" }>;

/** A payload that an operator tries, and what it would become. */
export type Trial = { point: Point; request: Request; documents: object[] | null; translation: Translation };

const documentsMax = 20;

/** Reads a payload as intake would; nothing is written. Throws not-found, and conflict for what takes nothing in. */
export async function tryPayload(deps: { directory: Directory; intake: Intake }, tenantId: number, request: Request): Promise<Trial> {
  const tenant = await deps.directory.of(tenantId);
  const point = tenant.points.get(request.integrationPointId);
  if (!point) throw notFound();
  if (point.sourceTypes.length === 0) throw new ApiError("conflict", because("point-no-source", { point: point.code }));
  if (!request.isCanonical) return { point, request, documents: null, translation: await deps.intake.check(toArrival(point, request)) };
  if (request.entityType === undefined)
    throw new ApiError("validation-failed", {
      errors: [faultBecause("body/entityType", "entity-type-needed")],
    });
  requireSource(point, request.entityType);
  const read = await readCanonical(request.entityType, request.payload);
  if ("reasons" in read) return { point, request, documents: null, translation: { kind: "rejected", reasons: read.reasons } };
  const translation = await routeDocuments(read.documents, request.entityType, point, tenant);
  return { point, request, documents: read.documents, translation };
}

async function readCanonical(entityType: EntityType, payload: string): Promise<{ documents: object[] } | { reasons: HandedIn["reasons"] }> {
  let json: unknown;
  try {
    json = parseJson(payload);
  } catch (error) {
    return { reasons: [{ path: "", message: error instanceof Error ? error.message : "It is not JSON." }] };
  }
  const isList = Array.isArray(json);
  const given: unknown[] = Array.isArray(json) ? json : [json];
  const documents: object[] = [];
  const reasons: HandedIn["reasons"] = [];
  for (const [index, document] of given.entries()) {
    if (index % turnMax === turnMax - 1) await setImmediate();
    const { data, error } = canonicalSchemas[entityType].safeParse(document);
    if (error) reasons.push(...faultsOf(error.issues.slice(0, reasonsMax), (path) => inDocument(isList ? [index, ...path] : path)));
    else documents.push(data);
    if (reasons.length >= reasonsMax) return { reasons: reasons.slice(0, reasonsMax) };
  }
  return reasons.length > 0 ? { reasons } : { documents };
}

function toArrival(point: Point, { entityType, payload }: Request): Arrival {
  const body = Buffer.from(payload);
  return { point, channel: "gateway", entityType: entityType ?? null, headers: {}, body, signature: "not-applicable", dedupeName: null };
}

/** Hands in what was tried, in the caller's transaction. Throws conflict where the subtenant takes nothing in at the moment. */
export async function handIn(
  intake: Intake,
  client: pg.ClientBase,
  tenant: TenantDirectory,
  { point, request, documents, translation }: Trial,
): Promise<Pick<HandedIn, "state" | "reasons" | "externalMessageId" | "messageIds">> {
  if (translation.kind !== "documents")
    return { state: translation.kind, reasons: translation.reasons, externalMessageId: null, messageIds: [] };
  const closed = closedBecause(tenant, point);
  if (closed !== null) throw new ApiError("conflict", because(closed));
  const { state, reasons, externalMessageId, messageIds } =
    documents && request.entityType
      ? await intake.storeDocumentsIn(client, { point, entityType: request.entityType, documents })
      : await intake.receiveIn(client, toArrival(point, request), translation);
  return { state, reasons, externalMessageId, messageIds };
}

/**
 * The documents that a payload becomes, each with the targets it would go to and the first request of its delivery. Nothing is sent. What is
 * needed of the database is read first: no connection waits for the tenant's expressions.
 */
export async function previewDocuments(
  pool: pg.Pool,
  tenantId: number,
  tenant: TenantDirectory,
  { point, translation }: Trial,
): Promise<HandedDocument[]> {
  if (translation.kind !== "documents") return [];
  const records = translation.records.slice(0, documentsMax);
  const routed = await inTenant(pool, tenantId, (client) => readTargets(client, tenantId, records));
  const documents: HandedDocument[] = [];
  for (const each of routed) documents.push(await previewDocument(tenant, point, each));
  return documents;
}

type TargetRow = { queueId: number; queueName: string; integrationPointId: number; name: string };

const targetsSql = `
  select queue.id as "queueId", queue.name as "queueName", point.id as "integrationPointId", point.name
  from queue.queue join hub.integration_point point on point.tenant_id = queue.tenant_id and point.id = queue.target_id
  where queue.tenant_id = $1`;

/** A document with its targets, and what is known of it there. */
type Routed = { record: RoutedRecord; found: TargetRow[]; items: (ExternalItem | null)[] };

async function readTargets(client: pg.ClientBase, tenantId: number, records: readonly RoutedRecord[]): Promise<Routed[]> {
  const { rows } = await client.query<TargetRow>(targetsSql, [tenantId]);
  const targets = new Map(rows.map((row) => [row.queueId, row]));
  const routed: Routed[] = [];
  for (const record of records) {
    const { entityType, key, routes } = record;
    const found = routes.flatMap(({ queueId }) => targets.get(queueId) ?? []);
    const wanted = found.map(({ integrationPointId }) => ({ integrationPointId, entityType, key }));
    routed.push({ record, found, items: await findExternalItems(client, tenantId, wanted) });
  }
  return routed;
}

async function previewDocument(tenant: TenantDirectory, point: Point, { record, found, items }: Routed): Promise<HandedDocument> {
  const { masking } = tenant;
  const { entityType, key, text } = record;
  const values = masking.valuesIn(text);
  const way = { mappingsOf: tenant.mappingsOf, pointOf: (id: number) => tenant.points.get(id) };
  const shown: HandedDocument["targets"] = [];
  for (const [index, target] of found.entries()) {
    const { integrationPointId, name, queueName } = target;
    const message = { messageId: "0", targetId: integrationPointId, entityType, key, headers: { source: point.connector }, document: text };
    const outcome = await firstRequest(way, message, items[index] ?? null);
    shown.push({
      integrationPointId,
      name,
      queueName,
      error: outcome && "error" in outcome ? masking.scrub(outcome.error, values) : null,
      request: outcome && "request" in outcome ? maskedRequest(outcome.request, masking, values) : null,
    });
  }
  return { entityType, key, document: masking.maskText(text), targets: shown };
}
