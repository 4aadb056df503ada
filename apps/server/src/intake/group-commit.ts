type Waiting<Job, Result> = { job: Job; resolve: (result: Result) => void; reject: (error: unknown) => void };
type Lane<Job, Result> = { waiting: Waiting<Job, Result>[]; isRunning: boolean };

type GroupCommitOptions<Job, Result> = {
  /** Does all jobs in one transaction and returns their results in order. Throws when none of them was done. */
  run: (tenantId: number, jobs: Job[]) => Promise<Result[]>;
  sizeMax: number;
  /** Whether a failure is about the jobs' contents, so that running them apart may save the others. */
  isPoison?: (error: unknown) => boolean;
};

type GroupCommit<Job, Result> = {
  /** Resolves after the transaction with this job has committed. */
  submit: (tenantId: number, job: Job) => Promise<Result>;
  /** Jobs that wait or run, of all tenants. */
  readonly size: number;
};

/**
 * Joins concurrent calls of one tenant into one transaction: while one runs, the next gathers. A commit costs the same for one
 * row as for five hundred, so throughput grows with load while a lone call waits for nobody.
 */
export function createGroupCommit<Job, Result>(options: GroupCommitOptions<Job, Result>): GroupCommit<Job, Result> {
  const { run, sizeMax, isPoison = () => false } = options;
  const lanes = new Map<number, Lane<Job, Result>>();
  let size = 0;

  async function drain(tenantId: number, lane: Lane<Job, Result>): Promise<void> {
    // Callers whose requests arrived in the same turn of the event loop go together.
    await new Promise(setImmediate);
    while (lane.waiting.length > 0) await settle(tenantId, lane.waiting.splice(0, sizeMax));
    lanes.delete(tenantId);
  }

  /** Runs a batch. When its contents are at fault it is halved until the poisonous job stands alone, and only that one fails. */
  async function settle(tenantId: number, batch: Waiting<Job, Result>[]): Promise<void> {
    try {
      const results = await run(
        tenantId,
        batch.map(({ job }) => job),
      );
      if (results.length !== batch.length) throw new Error(`${batch.length} jobs gave ${results.length} results`);
      size -= batch.length;
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length > 1 && isPoison(error)) {
        const middle = batch.length >> 1;
        await settle(tenantId, batch.slice(0, middle));
        return settle(tenantId, batch.slice(middle));
      }
      size -= batch.length;
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    submit: (tenantId, job) =>
      new Promise((resolve, reject) => {
        const lane = lanes.get(tenantId) ?? { waiting: [], isRunning: false };
        lane.waiting.push({ job, resolve, reject });
        size += 1;
        if (lane.isRunning) return;
        lane.isRunning = true;
        lanes.set(tenantId, lane);
        void drain(tenantId, lane);
      }),
    get size() {
      return size;
    },
  };
}
