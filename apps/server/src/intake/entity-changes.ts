import type { EntityType } from "@crossdock/contract";

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
};

/** What is known of a business object: version 0 before its first document. */
export type EntityState = { version: number; hash: Buffer; sourceVersion: bigint | null };

export type EntityVerdict = "changed" | "unchanged" | "outdated";

export const unknownEntity: EntityState = { version: 0, hash: Buffer.alloc(0), sourceVersion: null };

/**
 * What a document does to its business object. The same content again changes nothing but the time up to which it is known to hold;
 * an older version by the source's own time never overwrites a newer one. Sources without a time are believed in the order of arrival.
 */
export function applyDocument(state: EntityState, record: CanonicalRecord): { verdict: EntityVerdict; state: EntityState } {
  const isOlder = state.sourceVersion !== null && record.sourceVersion !== null && record.sourceVersion < state.sourceVersion;
  if (state.hash.equals(record.hash)) {
    return { verdict: "unchanged", state: isOlder ? state : { ...state, sourceVersion: record.sourceVersion ?? state.sourceVersion } };
  }
  if (isOlder) return { verdict: "outdated", state };
  return {
    verdict: "changed",
    state: { version: state.version + 1, hash: record.hash, sourceVersion: record.sourceVersion ?? state.sourceVersion },
  };
}
