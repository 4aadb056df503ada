import type pg from "pg";

/** A pool, or the client of the caller's transaction. */
export type Queryable = pg.Pool | Pick<pg.ClientBase, "query">;

/** `fifo` keeps the order of each lane; `latest` delivers only the newest message of a lane. */
export type QueueMode = "fifo" | "latest";

/** `push`: workers of this package deliver. `pull`: outside workers `claim` and `settle`. */
export type QueueDelivery = "push" | "pull";

export type MessageState = "ready" | "in-hand" | "retrying" | "parked" | "dead" | "delivered" | "superseded" | "removed" | "redirected";

export type CircuitState = "closed" | "open" | "half-open";

export type NewMessage = {
  tenantId: number;
  queueId: number;
  subtenantId: number;
  /** Business key: messages of one queue with one key are a lane. */
  key: string;
  entityType: string;
  source?: string;
  /** JSON text. */
  document: string;
  headers?: Record<string, string>;
  /** The source's version or time as a 64-bit integer. Queues of mode `latest` let the highest win. */
  version?: string | null;
  /** The external message it was made from. */
  originId?: string | null;
  entityVersion?: number | null;
};

/** Where a message is, without its contents: all that an operation on very many messages needs. */
export type MessagePlace = { queueId: number; messageId: string };

/** A message in a worker's hand. */
export type Delivery = {
  tenantId: number;
  queueId: number;
  queueName: string;
  targetId: number;
  subtenantId: number;
  messageId: string;
  key: string;
  entityType: string;
  document: string;
  headers: Record<string, string>;
  version: string | null;
  /** 1 for the first attempt. */
  attempt: number;
  originId: string | null;
  publishedAt: Date;
  /**
   * No worker has delivered it before, not even one that died before it could settle. It may have been the trial of a target that was still down, whose
   * answer, if any, came too late.
   */
  isUntried: boolean;
};

export type AttemptRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  /** The body equalled the message's document, so it is not kept twice: it is recorded as null and read back as the document. */
  isDocument?: true;
};
export type AttemptResponse = { status: number; headers: Record<string, string>; body: string | null };
/** Dead letters with the same `fingerprint`, or without one the same `class`, form a group. */
export type AttemptError = { class: string; message: string; fingerprint?: string };

/** The versions of the mappings and of the target's configuration that an attempt used. */
export type AttemptVersions = { mapping: number; configuration: number };

/** One attempt to deliver. The caller caps the bodies. An attempt without request, response and error has no row of its own, only the history's. */
export type Attempt = {
  durationMs: number;
  request?: AttemptRequest | null;
  response?: AttemptResponse | null;
  versions?: AttemptVersions;
  /** Fields of the document that were not sent, as the target has no place for them. */
  leftOut?: readonly string[];
  error?: AttemptError | null;
};

export type Outcome =
  | { kind: "delivered"; attempt: Attempt }
  /** `retryAfterMs` replaces the backoff. `isTargetFault` (network, timeout, 5xx, 429, refused credentials) counts for the circuit. */
  | { kind: "retry"; attempt: Attempt; retryAfterMs?: number; isTargetFault?: boolean }
  | { kind: "dead"; attempt: Attempt }
  /** Not tried: it goes back, and no attempt is counted. With `restMs` this worker leaves the target to others for so long. */
  | { kind: "released"; delayMs?: number; restMs?: number };

export type Handler = (delivery: Delivery, signal: AbortSignal) => Promise<Outcome>;

export type Lease = Delivery & { leaseToken: string; leaseUntil: Date };

export type RetryPolicy = { maxAttempts: number; baseDelayMs: number; maxDelayMs: number };
