import type pg from "pg";

const restMs = 1000;
const lastAnnouncement = new Map<number, number>();

/** Whether to tell live consoles now that the tenant's queues changed: this process does so at most once a second for each tenant. */
export function isAnnouncementDue(tenantId: number): boolean {
  const now = performance.now();
  if (now - (lastAnnouncement.get(tenantId) ?? -Infinity) < restMs) return false;
  lastAnnouncement.set(tenantId, now);
  return true;
}

/** Tells live consoles that a tenant's queues have changed: at once, and then once a second while they go on changing. */
export class Announcer {
  private readonly pool: pg.Pool;
  private readonly onError: (error: unknown) => void;
  private readonly later = new Map<number, NodeJS.Timeout>();
  private isStopped = false;

  constructor(pool: pg.Pool, onError: (error: unknown) => void) {
    this.pool = pool;
    this.onError = onError;
  }

  announce(tenantId: number): void {
    if (this.isStopped) return;
    if (isAnnouncementDue(tenantId)) this.announceNow(tenantId);
    // The last change of a burst has to be announced, too.
    else if (!this.later.has(tenantId))
      this.later.set(
        tenantId,
        setTimeout(() => this.announceNow(tenantId), restMs),
      );
  }

  stop(): void {
    this.isStopped = true;
    for (const timer of this.later.values()) clearTimeout(timer);
  }

  private announceNow(tenantId: number): void {
    clearTimeout(this.later.get(tenantId));
    this.later.delete(tenantId);
    this.pool.query("select pg_notify('queue_changed', $1)", [String(tenantId)]).catch((error: unknown) => this.onError(error));
  }
}
