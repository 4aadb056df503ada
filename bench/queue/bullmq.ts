import { Queue, Worker } from "bullmq";
import type { BenchRedis } from "../servers.ts";
import type { Contender, Job } from "./contender.ts";

let count = 0;

/** BullMQ on Redis. An append-only file synced every second may lose the last second, so it does not count as durable. */
export async function openBullMq(redis: BenchRedis): Promise<Contender> {
  const name = `jobs-${(count += 1)}`;
  const connection = { path: redis.path };
  const queue = new Queue<Job>(name, { connection });
  await queue.waitUntilReady();
  return {
    name: "BullMQ",
    isDurable: false,
    isOrdered: false,
    publishBatch: async (jobs) => {
      await queue.addBulk(jobs.map((data) => ({ name: "job", data })));
    },
    publish: async (job) => {
      await queue.add("job", job);
    },
    work: async (handler) => {
      const worker = new Worker<Job>(name, async (job) => handler(job.data), { connection, concurrency: 100 });
      worker.on("error", (error) => console.error(`BullMQ: ${error.message}`));
      await worker.waitUntilReady();
      return { stop: () => worker.close() };
    },
    close: async () => {
      await queue.obliterate({ force: true });
      await queue.close();
    },
  };
}
