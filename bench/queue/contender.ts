/** What is published in every contender: a document of about 1 KB with its key, a running number and the time of publication. */
export type Job = { key: string; n: number; at: number; text: string };

export type JobHandler = (job: Job) => Promise<void> | void;

/** A queue under test. Each is set up the way its own documentation recommends for throughput. */
export type Contender = {
  name: string;
  /** Whether an answered publish survives a power cut. */
  isDurable: boolean;
  /** Whether jobs with one key are handled in order, one at a time. */
  isOrdered: boolean;
  /** Publishes all in one call; resolves when they are stored. */
  publishBatch: (jobs: readonly Job[]) => Promise<void>;
  /** Publishes one; resolves when it is stored. */
  publish: (job: Job) => Promise<void>;
  /** Starts handling; `stop` resolves when no handler runs any more. */
  work: (handler: JobHandler) => Promise<{ stop: () => Promise<void> }>;
  close: () => Promise<void>;
};

const filler = "Crossdock moves items, prices, stock, orders, shipments and customers between commerce systems. ".repeat(10).slice(0, 930);

/** `count` jobs over `keys` business keys, each key's numbers rising. */
export function makeJobs(count: number, keys: number, from = 0): Job[] {
  return Array.from({ length: count }, (_, index) => ({ key: `key-${(from + index) % keys}`, n: from + index, at: 0, text: filler }));
}

/** The time used for latencies, in milliseconds; publisher and handler share the process, hence the clock. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
