import { EventEmitter } from "node:events";
import { Logger, makeWorkerUtils, run, type AddJobsJobSpec } from "graphile-worker";
import pg from "pg";
import type { BenchPostgres } from "../servers.ts";
import type { Contender, Job, JobHandler } from "./contender.ts";

declare global {
  namespace GraphileWorker {
    interface Tasks {
      job: Job;
    }
  }
}

const ignore = (): void => {};
const silent = new Logger(() => ignore);

/** graphile-worker with its local queue and batched completion; `isOrdered` puts each key into a queue of its own. */
export async function openGraphileWorker(postgres: BenchPostgres, isOrdered: boolean): Promise<Contender> {
  const database = await postgres.database();
  // A pool of our own, because the library's own pool is not closed yet when its release resolves.
  const pool = new pg.Pool({ connectionString: database.url, max: 14 });
  pool.on("error", ignore);
  pool.on("connect", (client) => client.on("error", ignore));
  const utils = await makeWorkerUtils({ pgPool: pool, logger: silent });
  await utils.migrate();
  const spec = (job: Job): AddJobsJobSpec => ({ identifier: "job", payload: job, ...(isOrdered ? { queueName: job.key } : {}) });
  return {
    name: isOrdered ? "graphile-worker, queueName" : "graphile-worker",
    isDurable: true,
    isOrdered,
    publishBatch: async (jobs) => {
      await utils.addJobs(jobs.map(spec));
    },
    publish: async (job) => {
      await utils.addJob("job", job, isOrdered ? { queueName: job.key } : {});
    },
    work: (handler) => startRunner(pool, handler),
    close: async () => {
      await utils.release();
      await pool.end();
      await database.drop();
    },
  };
}

async function startRunner(pool: pg.Pool, handler: JobHandler): Promise<{ stop: () => Promise<void> }> {
  const runner = await run({
    pgPool: pool,
    logger: silent,
    events: new EventEmitter(),
    noHandleSignals: true,
    taskList: { job: async (payload) => handler(payload) },
    preset: { worker: { concurrentJobs: 24, localQueue: { size: 500 }, completeJobBatchDelay: 0, pollInterval: 500 } },
  });
  return { stop: () => runner.stop() };
}
