import type pg from "pg";
import type { LeasedShard, ReadPosition } from "./leased-shard.ts";
import { arrayLiteral } from "./packed-text.ts";
import type { LeaseHeader } from "./step.ts";

/** A shard put to sleep is looked at again after this time, unless it was leased since: a publish may have committed in between. */
const recheckMs = 20;
/** Forgetting costs a re-read, remembering every shard there ever was costs memory. */
const rememberedMax = 20_000;

const recheckSql = `
  with woken as (
    update queue.shard s set is_active = true, is_fresh = true from unnest($2::integer[], $3::smallint[]) as u (queue_id, shard)
    where s.tenant_id = $1 and s.queue_id = u.queue_id and s.shard = u.shard and not s.is_active
      and exists (select from queue.ready r where r.tenant_id = $1 and r.queue_id = u.queue_id and r.shard = u.shard and r.id > s.cursor)
    returning 1
  )
  select count(*)::integer as count from woken`;

type Options = {
  pool: pg.Pool;
  /** Some of them were woken and can be leased. */
  onWoken: () => void;
  onError: (error: unknown) => void;
};

/** Shards that this worker has put to sleep: how far each was read, and a second look at what may have come just then. */
export class SleepingShards {
  private readonly options: Options;
  private readonly positions = new Map<string, { epoch: string; position: ReadPosition }>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private isStopped = false;

  constructor(options: Options) {
    this.options = options;
  }

  add(shards: readonly LeasedShard[]): void {
    for (const { place, shard, epoch, position } of shards) this.positions.set(keyOf({ ...place, shard }), { epoch, position });
    if (this.positions.size > rememberedMax) this.positions.clear();
    if (this.isStopped) return;
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      void this.recheck(shards.filter((shard) => this.positions.get(keyOf({ ...shard.place, shard: shard.shard }))?.epoch === shard.epoch));
    }, recheckMs);
    this.timers.add(timer);
  }

  /** How far a shard was read that is leased once more; what is remembered holds when nobody else has leased it since. */
  take(header: LeaseHeader): ReadPosition | undefined {
    const key = keyOf(header);
    const known = this.positions.get(key);
    this.positions.delete(key);
    return known && Number(known.epoch) + 1 === Number(header.epoch) ? known.position : undefined;
  }

  stop(): void {
    this.isStopped = true;
    for (const timer of this.timers) clearTimeout(timer);
  }

  private async recheck(shards: readonly LeasedShard[]): Promise<void> {
    const [first] = shards;
    if (!first) return;
    const { pool, onWoken, onError } = this.options;
    try {
      const values = [
        first.place.tenantId,
        arrayLiteral(shards.map((shard) => shard.place.queueId)),
        arrayLiteral(shards.map((shard) => shard.shard)),
      ];
      const { rows } = await pool.query<{ count: number }>({ name: "queue.recheck", text: recheckSql, values });
      if ((rows[0]?.count ?? 0) > 0) onWoken();
    } catch (error) {
      onError(error);
    }
  }
}

function keyOf(shard: { tenantId: number; queueId: number; shard: number }): string {
  return `${shard.tenantId}.${shard.queueId}.${shard.shard}`;
}
