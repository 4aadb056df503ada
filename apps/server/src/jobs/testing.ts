import type pg from "pg";

/**
 * A pool whose connection breaks before its `fatal`-th statement is sent, or, `isLate`, after that was carried out and before its answer is
 * read: what kill -9 does to a runner.
 */
export function dyingPool(worker: pg.Pool, owner: pg.Pool, { fatal, isLate }: { fatal: number; isLate: boolean }): pg.Pool {
  let isDead = false;
  const pool: Pick<pg.Pool, "connect"> = {
    connect: async () => {
      if (isDead) throw new Error("killed");
      const client = await worker.connect();
      // The client itself goes back to the pool and must not stay doomed.
      const doomed: typeof client = Object.create(client);
      const query = client.query.bind(client) as (...given: unknown[]) => Promise<unknown>;
      let sent = 0;
      const pid = (await client.query<{ pid: number }>("select pg_backend_pid() as pid")).rows[0]?.pid;
      const die = async (): Promise<never> => {
        isDead = true;
        await owner.query("select pg_terminate_backend($1)", [pid]);
        throw new Error("killed");
      };
      doomed.release = (error) => client.release(error);
      doomed.query = (async (...given: unknown[]) => {
        sent += 1;
        if (sent === fatal && !isLate) await die();
        const answer = await query(...given);
        if (sent === fatal) await die();
        return answer;
      }) as typeof client.query;
      return doomed;
    },
  };
  return pool as pg.Pool;
}
