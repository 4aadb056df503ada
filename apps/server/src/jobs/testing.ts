import type { Job, JobItem } from "@crossdock/contract";
import type pg from "pg";
import type { TestApp } from "../testing/test-app.ts";

type Caller = { made: () => TestApp; base: () => string; reader: "user" | "viewer" };

/** How a user acts on a tenant's jobs and the reader reads of them; an answer that is no success fails the test. */
export function jobCalls({ made, base, reader }: Caller) {
  async function call<Answer>(who: "user" | "viewer", method: "GET" | "POST", url: string, body?: object): Promise<Answer> {
    const answer = await made().call(who, method, base() + url, body);
    if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.body}`);
    return answer.json<Answer>();
  }
  const get = <Answer>(url: string) => call<Answer>(reader, "GET", url);
  const post = <Answer>(url: string, body?: object) => call<Answer>("user", "POST", url, body);
  return {
    get,
    post,
    start: ({ id, total }: Job, reason = "a test") =>
      post<Job>(`/jobs/${id}/start`, { total, confirmation: base().split("/").at(-1), reason }),
    read: ({ id }: Job) => get<Job>(`/jobs/${id}`),
    itemsOf: async ({ id }: Job, outcome = "") =>
      (await get<{ items: JobItem[] }>(`/jobs/${id}/items?limit=500${outcome && `&outcome=${outcome}`}`)).items,
    countIn: async (keyPrefix: string, state: string) =>
      (await get<{ count: number }>(`/message-count?keyPrefix=${keyPrefix}${state && `&state=${state}`}`)).count,
  };
}

/** Leaves no message that waits, which a test would take before its own, and no job that is under way. */
export async function endAll(owner: pg.Pool): Promise<void> {
  await owner.query("truncate queue.ready, queue.retrying, queue.parked, queue.dead, queue.held, queue.lease, queue.place");
  await owner.query("update hub.job set state = 'cancelled', finished_at = now() where state in ('running', 'stopped', 'paused')");
}

/** Jobs that wait for their time go on at once. */
export const makeDue = (owner: pg.Pool) => owner.query("update hub.job set next_at = clock_timestamp() where state = 'running'");

export const failure = { durationMs: 1, error: { class: "rejected", message: "no such SKU", fingerprint: "f-1" } };

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
