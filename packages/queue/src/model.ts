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
  /** 1 for the first try. */
  attempt: number;
  originId: string | null;
  publishedAt: Date;
  /** Nobody has had it in hand before, so it can't have been delivered, not even by a worker that ended before it could settle. */
  isUntried?: boolean;
};

export type AttemptRequest = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  /** The body was the message's document to the letter, and is kept as that alone: whoever records it says null, whoever reads it gets it. */
  isDocument?: true;
};
export type AttemptResponse = { status: number; headers: Record<string, string>; body: string | null };
/** `fingerprint` groups dead letters with the same cause; without it `class` does. */
export type AttemptError = { class: string; message: string; fingerprint?: string };

/** Which mappings and which configuration of the target a try went by. */
export type AttemptVersions = { mapping: number; configuration: number };

/** What one try was like. Bodies are capped by the caller. With neither request, response nor error only the history keeps it. */
export type Attempt = {
  durationMs: number;
  request?: AttemptRequest | null;
  response?: AttemptResponse | null;
  versions?: AttemptVersions;
  error?: AttemptError | null;
};

export type Outcome =
  | { kind: "delivered"; attempt: Attempt }
  /** `retryAfterMs` replaces the backoff. `isTargetFault` (network, timeout, 5xx, 429) counts for the circuit. */
  | { kind: "retry"; attempt: Attempt; retryAfterMs?: number; isTargetFault?: boolean }
  | { kind: "dead"; attempt: Attempt }
  /** Not tried: goes back, no attempt is counted. */
  | { kind: "released"; delayMs?: number };

export type Handler = (delivery: Delivery, signal: AbortSignal) => Promise<Outcome>;

export type Lease = Delivery & { leaseToken: string; leaseUntil: Date };

export type RetryPolicy = { maxAttempts: number; baseDelayMs: number; maxDelayMs: number };
