import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";

export type ListenOptions = {
  channels: readonly string[];
  onNotification: (channel: string, payload: string) => void;
  /** Called when listening begins, and again after each loss of the connection: notifications sent before then may have been missed. */
  onMissed: () => void;
  /** Called once for each loss, not for each failed attempt to reconnect. */
  onError: (error: unknown) => void;
  reconnectMs?: number;
  /** How often the connection is asked for a sign of life; after two without an answer it counts as lost. */
  heartbeatMs?: number;
};

export type Listener = {
  /** Resolves when listening has begun for the first time, or was stopped before that. */
  readonly ready: Promise<void>;
  readonly isListening: boolean;
  stop: () => Promise<void>;
};

/** Listens on PostgreSQL channels with one connection of the pool, kept for that alone, and takes another when it breaks or falls silent. */
export function listen(pool: pg.Pool, options: ListenOptions): Listener {
  const { channels, onNotification, onMissed, onError, reconnectMs = 1_000, heartbeatMs = 15_000 } = options;
  const stop = new AbortController();
  const first = Promise.withResolvers<void>();
  let isListening = false;
  let isTold = false;

  async function listenOnce(): Promise<void> {
    const client = await pool.connect();
    const over = Promise.withResolvers<void>();
    client.on("error", over.reject);
    client.on("end", () => over.reject(new Error("the listening connection ended")));
    client.on("notification", ({ channel, payload = "" }) => onNotification(channel, payload));
    const end = (): void => over.resolve();
    stop.signal.addEventListener("abort", end);
    // The abort may have come while the connection was being made.
    if (stop.signal.aborted) end();
    const heart = beat(client, heartbeatMs, over.reject);
    try {
      const sql = channels.map((channel) => `listen ${client.escapeIdentifier(channel)}`).join("; ");
      await Promise.race([client.query(sql), over.promise]);
      if (stop.signal.aborted) return;
      isListening = true;
      isTold = false;
      onMissed();
      first.resolve();
      await over.promise;
    } finally {
      isListening = false;
      stop.signal.removeEventListener("abort", end);
      clearInterval(heart);
      // A connection that has listened is not one for other work.
      client.release(true);
    }
  }

  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      await listenOnce().catch((error: unknown) => {
        if (!isTold) onError(error);
        isTold = true;
      });
      await sleep(reconnectMs, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    ready: first.promise,
    get isListening() {
      return isListening;
    },
    stop: async () => {
      stop.abort();
      first.resolve();
      await running;
    },
  };
}

/** Asks for a sign of life: a connection that a firewall has forgotten would stay silent for ever without an error. */
function beat(client: pg.PoolClient, everyMs: number, onSilent: (error: unknown) => void): NodeJS.Timeout {
  let owed = 0;
  return setInterval(() => {
    if (owed > 1) return onSilent(new Error("the listening connection does not answer"));
    owed += 1;
    client.query("select").then(() => (owed -= 1), onSilent);
  }, everyMs);
}
