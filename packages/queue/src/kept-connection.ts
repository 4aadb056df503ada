import type pg from "pg";

/** At a backlog a step follows the other sooner. */
const idleMs = 10;
/** Its query fails with it, or it is idle for a few milliseconds: nothing is left to do. */
const ignore = (): void => undefined;

/**
 * A connection of the pool that is kept while one query follows the other. Each plans its statements anew, 20 ms of a step, and where others
 * ask something in between, the next step would get another one. Gives way where somebody waits for a connection.
 */
export class KeptConnection {
  private readonly pool: pg.Pool;
  private client: pg.PoolClient | null = null;
  private idle: NodeJS.Timeout | undefined;

  constructor(pool: pg.Pool) {
    this.pool = pool;
  }

  /** One at a time. A connection on which a query failed is not used again. */
  async query<R extends pg.QueryResultRow>(config: pg.QueryConfig): Promise<pg.QueryResult<R>> {
    clearTimeout(this.idle);
    if (this.pool.waitingCount > 0) this.letGo();
    this.client ??= (await this.pool.connect()).on("error", ignore);
    try {
      const answer = await this.client.query<R>(config);
      this.idle = setTimeout(() => this.letGo(), idleMs);
      return answer;
    } catch (error) {
      this.letGo(true);
      throw error;
    }
  }

  private letGo(isBroken = false): void {
    this.client?.off("error", ignore).release(isBroken);
    this.client = null;
  }
}
