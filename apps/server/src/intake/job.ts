import type { EntityType, Fault, SignatureState } from "@crossdock/contract";
import type { NewMessage } from "@crossdock/queue";
import type { Point, Route } from "./directory.ts";
import type { Row } from "./turns.ts";
import type { CanonicalRecord, EntityVerdict } from "./entity-changes.ts";

/** What was wrong with a message, with its name where it can be told in other languages. */
export type Reason = Fault;

/** A document and the queues of the integration points that want it. */
export type RoutedRecord = CanonicalRecord & { routes: readonly Route[] };

/** An object of the source with all skus that it has, and the queues that hear of the items and stock that it has no more. */
export type RoutedWhole = {
  name: string;
  skus: ReadonlySet<string>;
  /** Null: the source doesn't say since when. */
  at: string | null;
  routes: { [Type in EntityType]?: readonly Route[] };
};

export type Translation =
  | { kind: "documents"; records: RoutedRecord[]; wholes: RoutedWhole[]; remarks: Reason[] }
  | { kind: "ignored"; reasons: Reason[] }
  | { kind: "rejected"; reasons: Reason[] };

/** One raw message, translated, ready to be written. */
export type IntakeJob = {
  point: Point;
  channel: "hook" | "gateway" | "poll" | "import";
  entityType: EntityType | null;
  signature: SignatureState;
  contentType: string | null;
  /** JSON text. */
  headers: string;
  body: Buffer;
  /**
   * Under which the sender may repeat it; null: each arrival is a message of its own. `mayChange`: another body under the key is news, and the key is its from
   * then on.
   */
  dedupeKey: { hash: Buffer; bodyHash: Buffer; mayChange: boolean } | null;
  /** The external message that an operator sent through once more as this one. */
  replayOf: string | null;
  translation: Translation;
  /** Those that its sender hands in one after the other; null: it comes alone. */
  row: Row | null;
  /** What its messages carry on of its trace; null when it is not traced. */
  traceparent: string | null;
};

export type IntakeState = "accepted" | "unchanged" | "rejected" | "ignored";

/** What became of one document of a message, and why where it was passed over. */
export type DocumentOutcome = { verdict: EntityVerdict; reason: Reason | null };

export type Receipt = {
  externalMessageId: string;
  state: IntakeState;
  reasons: Reason[];
  /** Of its documents, in their order; none where it was not translated or is a repetition. */
  documents: DocumentOutcome[];
  messageIds: string[];
  /** The sender's key was seen before: nothing was written, and the answer is about the first arrival. */
  isDuplicate: boolean;
  /** The key came with another body the first time. */
  isKeyReused: boolean;
};

/** A job on its way through the transaction. */
export type Draft = {
  job: IntakeJob;
  id: string;
  state: IntakeState;
  reasons: Reason[];
  documents: DocumentOutcome[];
  messages: NewMessage[];
  /** What its source has no more, by this message. */
  gone: Pick<CanonicalRecord, "entityType" | "key">[];
  /** Those of the messages' queues that outside workers wait for. */
  pulledQueueIds: number[];
};
