import { randomBytes } from "node:crypto";
import pg from "pg";
import type { Logger } from "pino";
import type { LiveEvent } from "@crossdock/contract";

/** A listener gets the event with the id under which it may resume. */
export type Listener = (id: string, event: LiveEvent) => void;

export type LiveEvents = {
  /** Calls `listener` for every event of the tenant until the returned function is called. */
  subscribe(tenantId: number, listener: Listener): () => void;
  /** True when nothing happened in the tenant since the event of this id, as far as this process knows. */
  isCurrent(tenantId: number, lastEventId: string): boolean;
  stop(): Promise<void>;
};

const channels: Record<string, LiveEvent["type"]> = { queue_changed: "queues-changed", hub_changed: "configuration-changed" };
const reconnectMs = 1_000;

/**
 * One database connection for the process listens for what changes and tells every stream of the tenant. Events say that something changed,
 * not what, so one that was missed is made good by asking again: after a gap all streams get `resync`.
 */
export async function startLiveEvents(connectionString: string, logger: Logger): Promise<LiveEvents> {
  const listeners = new Map<number, Set<Listener>>();
  // Ids of another run of the process, or of another process behind the same address, say nothing here.
  const run = randomBytes(6).toString("hex");
  const newest = new Map<number, number>();
  let sequence = 0;
  let client: pg.Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function tell(tenantId: number, type: LiveEvent["type"]): void {
    sequence += 1;
    newest.set(tenantId, sequence);
    const event: LiveEvent = { type, at: new Date().toISOString() };
    for (const listener of listeners.get(tenantId) ?? []) listener(`${run}-${sequence}`, event);
  }

  async function connect(): Promise<void> {
    const connecting = new pg.Client({ connectionString, application_name: "crossdock events", keepAlive: true });
    connecting.on("notification", ({ channel, payload }) => {
      const type = channels[channel];
      const tenantId = Number(payload);
      if (type !== undefined && Number.isInteger(tenantId)) tell(tenantId, type);
    });
    connecting.on("error", (error) => logger.warn({ err: error }, "the connection for live events broke"));
    connecting.once("end", () => void (isStopped || (timer = setTimeout(reconnect, reconnectMs))));
    await connecting.connect();
    await connecting.query(
      Object.keys(channels)
        .map((channel) => `listen ${channel}`)
        .join("; "),
    );
    client = connecting;
  }

  function reconnect(): void {
    connect().then(
      () => {
        for (const tenantId of listeners.keys()) tell(tenantId, "resync");
      },
      // A failed attempt ends its connection, which sets the timer for the next one.
      (error: unknown) => logger.debug({ err: error }, "live events wait for the database"),
    );
  }

  await connect();
  return {
    subscribe(tenantId, listener) {
      const ofTenant = listeners.get(tenantId) ?? new Set();
      listeners.set(tenantId, ofTenant.add(listener));
      return () => {
        ofTenant.delete(listener);
        if (ofTenant.size === 0) listeners.delete(tenantId);
      };
    },
    isCurrent(tenantId, lastEventId) {
      const [ofRun, seen] = lastEventId.split("-");
      return ofRun === run && Number(seen) >= (newest.get(tenantId) ?? 0);
    },
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await client?.end();
    },
  };
}
