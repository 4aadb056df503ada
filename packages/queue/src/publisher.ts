import type pg from "pg";
import { QueueError } from "./errors.ts";
import type { NewMessage } from "./model.ts";
import { publish } from "./publish.ts";

/** The most messages in one commit. */
const batchMax = 500;
/** The most commits under way at a time. */
const commitsMax = 2;

export type Publisher = {
  /** Resolves with the message's id after its commit. */
  publish: (message: NewMessage) => Promise<string>;
  /** Refuses new messages and waits for those under way. */
  stop: () => Promise<void>;
};

type Waiting = { message: NewMessage; resolve: (id: string) => void; reject: (error: unknown) => void };

/**
 * Gathers single publishes into commits: while one is under way, the next gathers. The pool's role must be allowed to write
 * all tenants it is used for. When a batch is refused, its messages are tried one by one, so that one bad message fails alone.
 */
export function createPublisher(pool: pg.Pool): Publisher {
  const gathering = new Map<number, Waiting[]>();
  const underWay = new Set<Promise<void>>();
  let isStopped = false;
  let isScheduled = false;

  function flush(): void {
    isScheduled = false;
    for (const [tenantId, waiting] of gathering) {
      if (underWay.size >= commitsMax) return;
      gathering.delete(tenantId);
      // Set again at the end of the map: tenants take turns.
      if (waiting.length > batchMax) gathering.set(tenantId, waiting.splice(batchMax));
      const commit = commitBatch(pool, waiting).finally(() => {
        underWay.delete(commit);
        flush();
      });
      underWay.add(commit);
    }
  }

  return {
    publish(message) {
      if (isStopped) return Promise.reject(new QueueError("stopped", "The publisher was stopped."));
      return new Promise((resolve, reject) => {
        const waiting = gathering.get(message.tenantId);
        if (waiting) waiting.push({ message, resolve, reject });
        else gathering.set(message.tenantId, [{ message, resolve, reject }]);
        if (isScheduled) return;
        isScheduled = true;
        // At the end of this turn of the event loop, so that callers of the same turn share a commit.
        setImmediate(flush);
      });
    },
    async stop() {
      isStopped = true;
      flush();
      while (underWay.size > 0 || gathering.size > 0) await Promise.all(underWay);
    },
  };
}

async function commitBatch(pool: pg.Pool, waiting: readonly Waiting[]): Promise<void> {
  try {
    // One statement, so its own transaction.
    const ids = await publish(
      pool,
      waiting.map(({ message }) => message),
    );
    waiting.forEach(({ resolve }, index) => resolve(ids[index] ?? ""));
  } catch (error) {
    const [only] = waiting;
    if (waiting.length === 1 && only) only.reject(error);
    else if (isRefusal(error)) for (const one of waiting) await commitBatch(pool, [one]);
    // The outcome of a broken connection is unknown: trying again could publish twice.
    else for (const { reject } of waiting) reject(error);
  }
}

/** Refused because of a message's content (SQLSTATE classes 22 and 23, and our own checks): nothing of the batch was stored. */
function isRefusal(error: unknown): boolean {
  if (error instanceof QueueError) return true;
  return error instanceof Error && "code" in error && typeof error.code === "string" && /^2[23]/.test(error.code);
}
