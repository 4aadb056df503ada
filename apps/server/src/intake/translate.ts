import { connectors, type Reason as ConnectorReason } from "@crossdock/connectors";
import { businessKeyOf, canonicalSchemas, type EntityType } from "@crossdock/contract";
import { faultsOf, inDocument } from "../faults.ts";
import type { Point, TenantDirectory } from "./directory.ts";
import { toRecord, type CanonicalRecord } from "./entity-changes.ts";
import type { Reason, RoutedRecord, RoutedWhole, Translation } from "./job.ts";

/** Reasons shown for one message at most; a feed that is wrong throughout says the same thing thousands of times. */
const reasonsMax = 50;

type Untranslated = {
  body: Uint8Array;
  json: unknown;
  headers: Record<string, string>;
  /** Named by the path it came in by; null where the connector finds it out. */
  entityType: EntityType | null;
};

/** Turns a raw message into canonical documents, each with the queues it goes to. One invalid document rejects the whole message. */
export async function translate(message: Untranslated, point: Point, directory: TenantDirectory): Promise<Translation> {
  const { entityType, ...input } = message;
  const connector = connectors[point.connector];
  const received = await connector.receive({ ...input, settings: point.settings, ...(entityType === null ? {} : { entityType }) });
  const concealed = (given: readonly Reason[]): Reason[] => {
    const values = directory.masking.valuesIn(JSON.stringify(message.json) ?? "");
    const scrub = <Told>(told: Told) => (typeof told === "string" ? directory.masking.scrub(told, values) : told);
    return given.slice(0, reasonsMax).map(({ message: text, values: told, ...reason }) => ({
      ...reason,
      message: directory.masking.scrub(text, values),
      ...(told && { values: Object.fromEntries(Object.entries(told).map(([name, value]) => [name, scrub(value)])) }),
    }));
  };
  if (received.kind === "rejected") return { kind: "rejected", reasons: concealed(received.reasons.flatMap(named)) };
  if (received.kind === "ignored") return { kind: "ignored", reasons: concealed([{ path: "", message: received.reason }]) };

  const reasons: Reason[] = [];
  const records: RoutedRecord[] = [];
  const wholes: RoutedWhole[] = [];
  for (const { name, skus, at } of received.wholes ?? []) {
    const types = partTypes.filter((type) => point.entityTypes.includes(type));
    if (types.length === 0) continue;
    const fault = await directory.clock.faultOf({ deletedAt: at });
    if (fault) reasons.push(fault);
    const routes = Object.fromEntries(types.map((type) => [type, directory.routesFrom(point, type)]));
    wholes.push({ name: wholeName(point, name), skus: new Set(skus), at, routes });
  }
  for (const [index, found] of received.documents.entries()) {
    if (!point.entityTypes.includes(found.entityType)) continue;
    const partOf = found.partOf === undefined ? null : wholeName(point, found.partOf);
    const result = await readDocument(found.entityType, found.document, partOf, directory);
    if ("reasons" in result) reasons.push(...result.reasons.map((reason) => within(found.entityType, index, reason)));
    else records.push({ ...result, routes: directory.routesFrom(point, found.entityType) });
  }
  if (reasons.length > 0) return { kind: "rejected", reasons: concealed(reasons) };
  if (records.length === 0 && wholes.length === 0) {
    const message =
      received.documents.length === 0 ? "It contains no document." : "The integration point does not take documents of this type.";
    return { kind: "ignored", reasons: [{ path: "", message }] };
  }
  return { kind: "documents", records, wholes };
}

/** What a source's object may hold. */
const partTypes = ["item", "stock"] as const;

/** Two systems may have objects of one name. */
function wholeName(point: Point, name: string): string {
  return `${point.id} ${name}`;
}

/** What a connector's schema refused is told by name as what ours refuses; its own words get theirs later, by `withName`. */
function named({ path: at, message, issue }: ConnectorReason): Reason[] {
  if (issue === undefined) return [{ path: at, message }];
  return faultsOf([{ ...issue, path: [] }], (path) => inDocument(at === "" ? path : [at, ...path]));
}

/** Documents that are canonical already, each with the queues it goes to. */
export async function routeDocuments(
  documents: readonly object[],
  entityType: EntityType,
  point: Point,
  directory: TenantDirectory,
): Promise<Translation> {
  const routes = directory.routesFrom(point, entityType);
  const reasons: Reason[] = [];
  const records: RoutedRecord[] = [];
  for (const [index, document] of documents.entries()) {
    const result = await readDocument(entityType, document, null, directory);
    if ("reasons" in result) reasons.push(...result.reasons.map((reason) => within(entityType, index, reason)));
    else records.push({ ...result, routes });
  }
  return reasons.length > 0 ? { kind: "rejected", reasons: reasons.slice(0, reasonsMax) } : { kind: "documents", records, wholes: [] };
}

function within(entityType: EntityType, index: number, { path, ...reason }: Reason): Reason {
  return { ...reason, path: `${entityType}[${index}]${path === "" ? "" : `.${path}`}` };
}

async function readDocument(
  entityType: EntityType,
  document: unknown,
  partOf: string | null,
  { clock }: Pick<TenantDirectory, "clock">,
): Promise<CanonicalRecord | { reasons: Reason[] }> {
  const parsed = canonicalSchemas[entityType].safeParse(document);
  if (!parsed.success) return { reasons: faultsOf(parsed.error.issues, inDocument) };
  const canonical = parsed.data;
  const fault = await clock.faultOf(canonical);
  if (fault) return { reasons: [fault] };
  return toRecord(entityType, businessKeyOf(entityType, canonical), canonical, partOf);
}
