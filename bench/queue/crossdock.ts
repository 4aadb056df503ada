import { createPublisher, createWorker, publish, saveQueue, saveTarget, type NewMessage } from "@crossdock/queue";
import pg from "pg";
import type { BenchPostgres } from "../servers.ts";
import type { Contender, Job, JobHandler } from "./contender.ts";

/** A tenant with one target and one queue in the engine under test. */
export type Place = { tenantId: number; queueId: number };

type Engine = {
  pool: pg.Pool;
  addPlace: (tenantId: number) => Promise<Place>;
  close: () => Promise<void>;
};

/** The engine in a database of its own, used through the worker's role as the server does. */
export async function openEngine(postgres: BenchPostgres): Promise<Engine> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const pool = new pg.Pool({ connectionString: database.workerUrl, max: 10 });
  // Dropping the database ends what is still connected to it.
  for (const one of [owner, pool]) one.on("error", () => undefined);
  // The peers are connected too before the clock starts.
  await pool.query("select");
  return {
    pool,
    addPlace: async (tenantId) => {
      await saveTarget(owner, { tenantId, targetId: 1, concurrency: 64 });
      const queueId = await saveQueue(owner, { tenantId, targetId: 1, name: "bench.order", mode: "fifo", delivery: "push" });
      return { tenantId, queueId };
    },
    close: async () => {
      await owner.end();
      await pool.end();
      await database.drop();
    },
  };
}

export function toMessage(place: Place, job: Job): NewMessage {
  return { ...place, subtenantId: 1, key: job.key, entityType: "order", document: JSON.stringify(job) };
}

/** Crossdock's engine with everything on that it always does: per-key order, fairness, history and retries. */
export async function openCrossdock(postgres: BenchPostgres): Promise<Contender> {
  const engine = await openEngine(postgres);
  const place = await engine.addPlace(1);
  const publisher = createPublisher(engine.pool);
  return {
    name: "Crossdock",
    isDurable: true,
    isOrdered: true,
    publishBatch: async (jobs) => {
      // One statement, so its own transaction.
      await publish(
        engine.pool,
        jobs.map((job) => toMessage(place, job)),
      );
    },
    publish: async (job) => {
      await publisher.publish(toMessage(place, job));
    },
    work: (handler) => startWorker(engine.pool, handler),
    close: engine.close,
  };
}

/** A worker that gives each document, parsed, to the handler. */
export async function startWorker(pool: pg.Pool, handler: JobHandler): Promise<{ stop: () => Promise<void> }> {
  const worker = createWorker(pool, {
    // As many as pg-boss has in hand here: a handler that does nothing is limited by nothing else.
    concurrency: 1000,
    handler: async (delivery) => {
      const job: Job = JSON.parse(delivery.document);
      await handler(job);
      return { kind: "delivered", attempt: { durationMs: 0 } };
    },
  });
  await worker.start();
  return { stop: () => worker.stop() };
}
