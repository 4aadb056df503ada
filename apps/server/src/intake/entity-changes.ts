import { canonicalSchemas, sourceVersionOf, type EntityType, type Item, type Stock } from "@crossdock/contract";
import { sha256 } from "../keys/sha256.ts";

/** One canonical document that passed its schema. */
export type CanonicalRecord = {
  entityType: EntityType;
  key: string;
  /** The document as JSON text. */
  text: string;
  /** SHA-256 of the document without its time of change. */
  hash: Buffer;
  /** Microseconds since 1970, null where the source gives no time. */
  sourceVersion: bigint | null;
  /** The source's object that it was found in, with the integration point; null where no message will tell that it has gone. */
  partOf: string | null;
  /** When its source deleted it. */
  deletedAt: string | null;
};

/** What is known of a business object: version 0 before its first document. */
export type EntityState = Pick<CanonicalRecord, "hash" | "sourceVersion" | "partOf" | "deletedAt"> & { version: number };

export type EntityVerdict = "changed" | "unchanged" | "outdated";

export const unknownEntity: EntityState = { version: 0, hash: Buffer.alloc(0), sourceVersion: null, partOf: null, deletedAt: null };

/** Of a canonical document, by name. */
export function toRecord(entityType: EntityType, key: string, document: Dated, partOf: string | null): CanonicalRecord {
  const version = sourceVersionOf(document);
  return {
    entityType,
    key,
    text: JSON.stringify(document),
    // Sources touch their time of change without changing anything else; that alone must not send the document again.
    hash: sha256(JSON.stringify({ ...document, updatedAt: undefined })),
    sourceVersion: version === null ? null : BigInt(version),
    partOf,
    deletedAt: document.deletedAt ?? null,
  };
}

type Dated = Pick<Item, "updatedAt" | "deletedAt">;

/**
 * What its source has no more, `known` as it was: an item is no longer sold, of stock there is none. `isWholeGone`: so are all variants of its
 * product. One that was deleted before stays as it is.
 */
export function goneRecord({ entityType, key }: Named, known: string, at: Required<Dated>, isWholeGone: boolean): CanonicalRecord {
  const document = JSON.parse(known);
  return toRecord(entityType, key, entityType === "stock" ? soldOut(document, at) : deleted(document, at, isWholeGone), null);
}

type Named = Pick<CanonicalRecord, "entityType" | "key">;

function deleted(document: unknown, { deletedAt, updatedAt }: Required<Dated>, isWholeGone: boolean): Item {
  const item = canonicalSchemas.item.parse(document);
  const group = isWholeGone && item.group ? { ...item.group, isActive: false } : item.group;
  return { ...item, group, isActive: false, deletedAt: item.deletedAt ?? deletedAt, updatedAt };
}

function soldOut(document: unknown, { updatedAt }: Required<Dated>): Stock {
  return { ...canonicalSchemas.stock.parse(document), quantity: "0", updatedAt };
}

/**
 * What a document does to its business object. The same content again changes nothing but the time up to which it is known to hold;
 * an older version by the source's own time never overwrites a newer one. Sources without a time are believed in the order of arrival. `isLate`: what
 * it was found in is known as it became since.
 */
export function applyDocument(state: EntityState, record: CanonicalRecord, isLate = false): { verdict: EntityVerdict; state: EntityState } {
  const isPassed = isLate || isOlder(state, record);
  if (state.hash.equals(record.hash)) {
    const { partOf, sourceVersion } = record;
    return { verdict: "unchanged", state: isPassed ? state : { ...state, partOf, sourceVersion: sourceVersion ?? state.sourceVersion } };
  }
  if (isPassed) return { verdict: "outdated", state };
  return {
    verdict: "changed",
    state: {
      version: state.version + 1,
      hash: record.hash,
      sourceVersion: record.sourceVersion ?? state.sourceVersion,
      partOf: record.partOf,
      deletedAt: record.deletedAt,
    },
  };
}

type Timed = Pick<EntityState, "sourceVersion">;

/** Whether the document is older than what is known, by the source's own times; without them it is not. */
export function isOlder(known: Timed, { sourceVersion }: Timed): boolean {
  return sourceVersion !== null && known.sourceVersion !== null && sourceVersion < known.sourceVersion;
}
