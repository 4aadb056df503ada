import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export type ListenerOptions = {
  channel: string;
  onNotification: (payload: string) => void;
  /** Called when listening begins, again after each lost connection: notifications of the time between are lost. */
  onListening: () => void;
  retryDelayMs?: number;
};

export type Listener = {
  /** Resolves when listening began for the first time. */
  ready: Promise<void>;
  readonly isListening: boolean;
  close: () => Promise<void>;
};

/** Listens on a PostgreSQL channel with a connection of the pool's own, and gets a new one when it breaks. */
export function createListener(pool: pg.Pool, options: ListenerOptions): Listener {
  const { channel, onNotification, onListening, retryDelayMs = 1_000 } = options;
  const stop = new AbortController();
  const first = Promise.withResolvers<void>();
  let isListening = false;

  async function listenOnce(): Promise<void> {
    const client = await pool.connect();
    const ended = new Promise<void>((resolve) => {
      client.once("end", resolve);
      client.on("error", () => resolve());
      // The abort may have come while the connection was being made.
      if (stop.signal.aborted) resolve();
      stop.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    try {
      client.on("notification", ({ payload = "" }) => onNotification(payload));
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      isListening = true;
      onListening();
      first.resolve();
      await ended;
    } finally {
      isListening = false;
      // A connection that has listened is not one for other work.
      client.release(true);
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      // What failed is the connection; the only thing to do about it is to connect again.
      await listenOnce().catch(() => undefined);
      if (!stop.signal.aborted) await sleep(retryDelayMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    ready: first.promise,
    get isListening() {
      return isListening;
    },
    close: async () => {
      stop.abort();
      first.resolve();
      await running;
    },
  };
}
