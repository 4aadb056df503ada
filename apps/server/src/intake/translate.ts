import { setImmediate } from "node:timers/promises";
import { connectors, type Reason as ConnectorReason } from "@crossdock/connectors";
import { businessKeyOf, canonicalSchemas, type EntityType } from "@crossdock/contract";
import { memoryBytes } from "@crossdock/db";
import { withName } from "../errors/arrival-faults.ts";
import { faultBecause, faultsOf, inDocument } from "../errors/faults.ts";
import { mask } from "../masking/headers.ts";
import type { Masking } from "../masking/masking.ts";
import type { Point, TenantDirectory } from "./directory.ts";
import { toRecord, type CanonicalRecord } from "./entity-changes.ts";
import type { Reason, RoutedRecord, RoutedWhole, Translation } from "./job.ts";

/** Reasons shown for one message at most; a feed that is wrong throughout says the same thing thousands of times. */
export const reasonsMax = 50;
/** A longer text names what nobody wants to read, such as a field whose name is a body. */
const reasonLengthMax = 2_000;
/**
 * Characters of a message's documents. What a source writes once, such as a product's description, each of its variants has: a short message
 * could become more than the memory holds. Stored, a character takes ten bytes or more.
 */
const millionsMax = Math.min(64, Math.floor(memoryBytes() / 2 ** 26));
const charactersMax = millionsMax * 1_000_000;
/** Documents that are read, in some 10 ms, before whatever else waits in the process has its turn. */
export const turnMax = 200;

type Untranslated = {
  body: Uint8Array;
  json: unknown;
  headers: Record<string, string>;
  /** Named by the path it came in by; null where the connector finds it out. */
  entityType: EntityType | null;
};

/** Hears how many characters the documents of a message have that were read so far. */
export type Grow = (characters: number) => void;

/** Turns a raw message into canonical documents, each with the queues it goes to. One invalid document rejects the whole message. */
export async function translate(message: Untranslated, point: Point, directory: TenantDirectory, grow?: Grow): Promise<Translation> {
  const { entityType, ...input } = message;
  const connector = connectors[point.connector];
  const { settings, isDevelopment } = point;
  const received = await connector.receive({ ...input, settings, isDevelopment, ...(entityType === null ? {} : { entityType }) });
  const concealed = (given: readonly Reason[]): Reason[] => {
    const values = directory.masking.valuesIn(JSON.stringify(message.json) ?? "");
    const scrub = (text: string): string => (text.length > reasonLengthMax ? mask : directory.masking.scrub(text, values));
    const told = (value: string | number) => (typeof value === "string" ? scrub(value) : value);
    return given.slice(0, reasonsMax).map(({ message: text, values: shown, ...reason }) => ({
      ...reason,
      message: scrub(text),
      ...(shown && { values: Object.fromEntries(Object.entries(shown).map(([name, value]) => [name, told(value)])) }),
    }));
  };
  if (received.kind === "rejected") return { kind: "rejected", reasons: concealed(received.reasons.slice(0, reasonsMax).flatMap(named)) };
  if (received.kind === "ignored") return { kind: "ignored", reasons: concealed([{ path: "", message: received.reason }]) };

  const reasons: Reason[] = [];
  const wholes: RoutedWhole[] = [];
  for (const { name, skus, at } of received.wholes ?? []) {
    const types = partTypes.filter((type) => point.sourceTypes.includes(type));
    if (types.length === 0) continue;
    const fault = await directory.clock.faultOf({ deletedAt: at });
    if (fault) reasons.push(fault);
    const routes = Object.fromEntries(types.map((type) => [type, directory.routesFrom(point, type)]));
    wholes.push({ name: wholeName(point, name), skus: new Set(skus), at, routes });
  }
  const taken = received.documents.entries().filter(([, { entityType: type }]) => point.sourceTypes.includes(type));
  const { records, ...read } = await readDocuments(taken, point, directory, grow);
  reasons.push(...read.reasons);
  if (reasons.length > 0) return { kind: "rejected", reasons: concealed(reasons) };
  if (records.length === 0 && wholes.length === 0) {
    const message =
      received.documents.length === 0 ? "It contains no document." : "The integration point does not take documents of this type.";
    return { kind: "ignored", reasons: [{ path: "", message }] };
  }
  return { kind: "documents", records, wholes, remarks: (received.remarks ?? []).map(withName) };
}

/** What a source's object may hold. */
const partTypes = ["item", "stock"] as const;

/** Two systems may have objects of one name. */
export function wholeName({ id, system }: Point, name: string): string {
  return `${id}/${system} ${name}`;
}

/** What a connector's schema refused is told by name as what ours refuses; its own words get theirs later, by `withName`. */
function named({ path: at, message, issue }: ConnectorReason): Reason[] {
  if (issue === undefined) return [{ path: at, message }];
  return faultsOf([{ ...issue, path: [] }], (path) => inDocument(at === "" ? path : [at, ...path]));
}

/** Documents that are canonical already, each with the queues it goes to. */
export async function routeDocuments(
  documents: readonly unknown[],
  entityType: EntityType,
  point: Point,
  directory: TenantDirectory,
  grow?: Grow,
): Promise<Translation> {
  const given = documents.entries().map(([index, document]): [number, Given] => [index, { entityType, document }]);
  const { records, reasons } = await readDocuments(given, point, directory, grow);
  return reasons.length > 0
    ? { kind: "rejected", reasons: reasons.slice(0, reasonsMax) }
    : { kind: "documents", records, wholes: [], remarks: [] };
}

type Given = { entityType: EntityType; document: unknown; partOf?: string };

/** Each with its place in the message. When enough is wrong with them to reject the message the others are not looked at. */
async function readDocuments(
  documents: Iterable<[number, Given]>,
  point: Point,
  directory: TenantDirectory,
  grow?: Grow,
): Promise<{ records: RoutedRecord[]; reasons: Reason[] }> {
  const records: RoutedRecord[] = [];
  const reasons: Reason[] = [];
  let characters = 0;
  for (const [index, { entityType, document, partOf }] of documents) {
    if (index % turnMax === turnMax - 1) await setImmediate();
    const whole = partOf === undefined ? null : wholeName(point, partOf);
    const result = await readDocument(entityType, document, whole, directory);
    if ("reasons" in result) reasons.push(...result.reasons.map((reason) => within(entityType, index, reason)));
    else {
      characters += result.text.length;
      if (characters > charactersMax) return { records, reasons: [faultBecause("", "documents-too-long", { max: millionsMax })] };
      grow?.(characters);
      records.push({ ...result, routes: directory.routesFrom(point, entityType) });
    }
    if (reasons.length >= reasonsMax) break;
  }
  return { records, reasons };
}

function within(entityType: EntityType, index: number, { path, ...reason }: Reason): Reason {
  return { ...reason, path: `${entityType}[${index}]${path === "" ? "" : `.${path}`}` };
}

async function readDocument(
  entityType: EntityType,
  document: unknown,
  partOf: string | null,
  { clock, masking }: Pick<TenantDirectory, "clock" | "masking">,
): Promise<CanonicalRecord | { reasons: Reason[] }> {
  const parsed = canonicalSchemas[entityType].safeParse(document);
  if (!parsed.success) return { reasons: faultsOf(parsed.error.issues.slice(0, reasonsMax), inDocument) };
  const canonical = parsed.data;
  const fault = await clock.faultOf(canonical);
  if (fault) return { reasons: [fault] };
  const record = toRecord(entityType, businessKeyOf(entityType, canonical), canonical, partOf);
  const reasons = maskFaults(record.text, masking);
  return reasons.length > 0 ? { reasons } : record;
}

/** The masks of an export that is handed in again would be stored as what they stand for. */
export function maskFaults(text: string, masking: Masking): Reason[] {
  if (!text.includes(mask)) return [];
  return masking.restore(text, "").refused.map((pointer) => faultBecause(inDocument(pointer.slice(1).split("/")), "mask-misplaced"));
}
