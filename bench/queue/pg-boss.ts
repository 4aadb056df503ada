import { PgBoss } from "pg-boss";
import type { BenchPostgres } from "../servers.ts";
import type { Contender, Job } from "./contender.ts";

const queue = "jobs";

/** pg-boss; `isOrdered` uses its policy key_strict_fifo, with the business key as singleton key. */
export async function openPgBoss(postgres: BenchPostgres, isOrdered: boolean): Promise<Contender> {
  const database = await postgres.database();
  const boss = new PgBoss({ connectionString: database.url, max: 10, useListenNotify: true, schedule: false });
  boss.on("error", (error) => console.error(`pg-boss: ${error.message}`));
  await boss.start();
  await boss.createQueue(queue, { policy: isOrdered ? "key_strict_fifo" : "standard", notify: true });
  const extra = (job: Job): { singletonKey?: string } => (isOrdered ? { singletonKey: job.key } : {});
  return {
    name: isOrdered ? "pg-boss, per-key order" : "pg-boss",
    isDurable: true,
    isOrdered,
    publishBatch: async (jobs) => {
      await boss.insert(
        queue,
        jobs.map((job) => ({ data: job, ...extra(job) })),
      );
    },
    publish: async (job) => {
      await boss.send(queue, job, extra(job));
    },
    work: async (handler) => {
      // Batches of 500 over two local workers drained fastest of 100, 250, 500, 1,000 by 1, 2, 4.
      const options = { batchSize: 500, localConcurrency: 2, burstWhenBatchFull: true, pollingIntervalSeconds: 0.5 };
      await boss.work<Job>(queue, options, async (jobs) => {
        await Promise.all(jobs.map(async (job) => handler(job.data)));
      });
      return { stop: () => boss.offWork(queue, { wait: true }) };
    },
    close: async () => {
      await boss.stop({ graceful: false });
      await database.drop();
    },
  };
}
