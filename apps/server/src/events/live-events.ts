import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { Logger } from "pino";
import type { LiveEvent } from "@crossdock/contract";
import { listen } from "@crossdock/queue";
import type { AccessChange, OnAccessChange } from "../access/access.ts";

/** A listener gets the event with the id under which it may resume. */
type Listener = (id: string, event: LiveEvent) => void;

export type LiveEvents = {
  /** Calls `listener` for every event of the tenant until the returned function is called. */
  subscribe(tenantId: number, listener: Listener): () => void;
  /** True when nothing happened in the tenant since the event of this id, as far as this process knows. */
  isCurrent(tenantId: number, lastEventId: string): boolean;
  onAccessChange: OnAccessChange;
  stop(): Promise<void>;
};

const accessChannel = "access_changed";
const channels: Record<string, LiveEvent["type"]> = {
  queue_changed: "queues-changed",
  hub_changed: "configuration-changed",
  notes_changed: "notes-changed",
  jobs_changed: "jobs-changed",
  external_changed: "external-changed",
  alerts_changed: "alerts-changed",
};

/**
 * One connection of the process listens for what changes and tells every stream of the tenant. Events say that something changed,
 * not what, so one that was missed is made good by asking again: after a gap all streams get `resync`.
 */
export async function startLiveEvents(pool: pg.Pool, logger: Logger): Promise<LiveEvents> {
  const listeners = new Map<number, Set<Listener>>();
  // Ids from an earlier run of the process, or from another process behind the same address, mean nothing here.
  const run = randomBytes(6).toString("hex");
  const newest = new Map<number, number>();
  let sequence = 0;
  /** What happened in any tenant before it may have been missed. */
  let gap = 0;
  const accessListeners: Parameters<OnAccessChange>[0][] = [];
  const tellAccess = (change: AccessChange): void => {
    for (const listener of accessListeners) listener(change);
  };

  function tell(tenantId: number, type: LiveEvent["type"]): void {
    sequence += 1;
    newest.set(tenantId, sequence);
    const event: LiveEvent = { type, at: new Date().toISOString() };
    for (const listener of listeners.get(tenantId) ?? []) listener(`${run}-${sequence}`, event);
  }

  const listener = listen(pool, {
    channels: [...Object.keys(channels), accessChannel],
    onNotification: (channel, payload) => {
      if (channel === accessChannel) return tellAccess(readAccessChange(payload));
      const type = channels[channel];
      const tenantId = Number(payload);
      if (type !== undefined && Number.isInteger(tenantId)) tell(tenantId, type);
    },
    onMissed: () => {
      tellAccess({ kind: "all" });
      gap = sequence += 1;
      for (const tenantId of listeners.keys()) tell(tenantId, "resync");
    },
    onError: (error) => logger.warn({ err: error }, "live events are interrupted"),
  });
  await listener.ready;
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
      return ofRun === run && Number(seen) >= Math.max(gap, newest.get(tenantId) ?? 0);
    },
    onAccessChange: (listener) => void accessListeners.push(listener),
    stop: () => listener.stop(),
  };
}

function readAccessChange(payload: string): AccessChange {
  const [kind, id] = payload.split(" ");
  return kind === "user" || kind === "key" || kind === "tenant" ? { kind, id: Number(id) } : { kind: "all" };
}
