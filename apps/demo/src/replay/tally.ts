import { createHash } from "node:crypto";
import type { EntityType } from "@crossdock/contract";
import type { ExpectedDocument } from "./source.ts";

/** What must be known of one business object: fingerprints only, so that a year of orders fits into memory. */
type Expected = {
  /** Every document that the file holds for it. */
  versions: Set<string>;
  newestAt: string;
  /** Contents of the newest documents; several when the file gives them the same time. */
  newest: Set<string>;
  lastArrived: string | null;
};

const failuresShown = 10;

/** The account of one entity type: what went in, what became of it, and whether each document is exactly what it must be. */
export class Tally {
  readonly entityType: EntityType;
  messages = 0;
  rejected = 0;
  /** Raw messages that hold nothing of this type. */
  ignored = 0;
  documents = 0;
  delivered = 0;
  superseded = 0;
  waiting = 0;
  /** Deliveries that came more than once, with the same message id. */
  repeated = 0;
  failures = 0;
  readonly failureSamples: string[] = [];
  readonly reasons = new Map<string, { count: number; example: string }>();
  readonly #expected = new Map<string, Expected>();
  readonly #published = new Set<string>();

  constructor(entityType: EntityType) {
    this.entityType = entityType;
  }

  /** Documents that changed nothing: the object was known with this content, or with a newer one. */
  get unchanged(): number {
    return this.documents - this.#published.size;
  }

  get isBalanced(): boolean {
    return this.documents === this.delivered + this.superseded + this.unchanged + this.waiting;
  }

  fail(text: string): void {
    this.failures += 1;
    if (this.failureSamples.length < failuresShown) this.failureSamples.push(text);
  }

  reject(label: string, reason: string): void {
    this.rejected += 1;
    // Reasons that differ in a number only are one kind.
    const kind = reason.replaceAll(/\d+/g, "#");
    const known = this.reasons.get(kind);
    if (known) known.count += 1;
    else this.reasons.set(kind, { count: 1, example: `${label}: ${reason}` });
  }

  expect(documents: readonly ExpectedDocument[], messageIds: readonly string[]): void {
    this.documents += documents.length;
    for (const id of messageIds) this.#published.add(id);
    for (const { key, document } of documents) {
      const at = typeof document["updatedAt"] === "string" ? new Date(document["updatedAt"]).toISOString() : "";
      const entry = this.#expected.get(key) ?? { versions: new Set(), newestAt: at, newest: new Set(), lastArrived: null };
      this.#expected.set(key, entry);
      entry.versions.add(fingerprint(document));
      if (at > entry.newestAt) entry.newest.clear();
      if (at >= entry.newestAt) entry.newest.add(contentFingerprint(document));
      if (at > entry.newestAt) entry.newestAt = at;
    }
  }

  arrive(key: string, messageId: string, body: string): void {
    const entry = this.#expected.get(key);
    const document: unknown = JSON.parse(body);
    if (entry === undefined) this.fail(`${this.entityType} ${key} arrived, but is not in the file`);
    else if (!entry.versions.has(fingerprint(document)))
      this.fail(`${this.entityType} ${key} arrived otherwise than in the file: ${body.slice(0, 300)}`);
    else entry.lastArrived = contentFingerprint(document);
    if (this.#published.has(messageId)) this.delivered += 1;
    else this.fail(`${this.entityType} ${key} arrived with the unknown message id ${messageId}`);
  }

  supersede(messageId: string): void {
    if (this.#published.has(messageId)) this.superseded += 1;
  }

  /** The last check: each object must have arrived, and its newest content last. */
  close(): void {
    for (const [key, entry] of this.#expected) {
      if (entry.lastArrived === null) this.fail(`${this.entityType} ${key} never arrived`);
      else if (!entry.newest.has(entry.lastArrived)) this.fail(`${this.entityType} ${key}: what arrived last is not the newest`);
    }
    if (!this.isBalanced) this.fail(`${this.entityType}: the account does not add up`);
  }
}

/** Documents are compared by content, whatever the order of their names; 16 bytes of a hash stand for each. */
function fingerprint(document: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(document)))
    .digest("base64")
    .slice(0, 22);
}

function contentFingerprint(document: unknown): string {
  return fingerprint(typeof document === "object" && document !== null ? { ...document, updatedAt: undefined } : document);
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, part]) => [name, sorted(part)]),
  );
}
