type Waiting<Job, Result> = {
  job: Job;
  keys: readonly string[];
  weight: number;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
};
type Lane<Job, Result> = {
  waiting: Waiting<Job, Result>[];
  running: number;
  /** The keys of the jobs that run. */
  busy: Set<string>;
  isScheduled: boolean;
};

type GroupCommitOptions<Job, Result> = {
  /** Does all jobs in one transaction and returns their results in order. Throws when none of them was done. */
  run: (tenantId: number, jobs: Job[]) => Promise<Result[]>;
  sizeMax: number;
  /** What a job costs in memory and time, and how much of it may stand in one transaction; a job that alone costs more has one for itself. */
  weightOf?: (job: Job) => number;
  weightMax?: number;
  /** Transactions of one tenant under way at a time. */
  runningMax?: number;
  /** The keys for which the order of jobs matters: of two jobs with a key in common the later one runs in the same transaction, or after the other's. */
  keysOf?: (job: Job) => readonly string[];
  /** Whether a failure is about the jobs' contents, so that running them apart may save the others. */
  isPoison?: (error: unknown) => boolean;
};

type GroupCommit<Job, Result> = {
  /** Resolves after the transaction with this job has committed. */
  submit: (tenantId: number, job: Job) => Promise<Result>;
};

/**
 * Joins concurrent calls of one tenant into one transaction: while as many run as allowed, the next one gathers. A commit costs the same for one
 * row as for five hundred, so throughput grows with load while a lone call waits for nobody.
 */
export function createGroupCommit<Job, Result>(options: GroupCommitOptions<Job, Result>): GroupCommit<Job, Result> {
  const { run, sizeMax, weightOf = () => 0, weightMax = Infinity, runningMax = 1, keysOf = () => [], isPoison = () => false } = options;
  const lanes = new Map<number, Lane<Job, Result>>();

  function start(tenantId: number, lane: Lane<Job, Result>): void {
    while (lane.running < runningMax) {
      const batch = take(lane, sizeMax, weightMax);
      if (batch.length === 0) break;
      lane.running += 1;
      void settle(tenantId, batch).then(() => {
        lane.running -= 1;
        for (const { keys } of batch) for (const key of keys) lane.busy.delete(key);
        start(tenantId, lane);
      });
    }
  }

  /** Runs a batch. When its contents are at fault it is halved until the poisonous job stands alone, and only that one fails. */
  async function settle(tenantId: number, batch: Waiting<Job, Result>[]): Promise<void> {
    try {
      const results = await run(
        tenantId,
        batch.map(({ job }) => job),
      );
      if (results.length !== batch.length) throw new Error(`${batch.length} jobs gave ${results.length} results`);
      for (const [index, result] of results.entries()) batch[index]?.resolve(result);
    } catch (error) {
      if (batch.length > 1 && isPoison(error)) {
        const middle = batch.length >> 1;
        await settle(tenantId, batch.slice(0, middle));
        return settle(tenantId, batch.slice(middle));
      }
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    submit: (tenantId, job) =>
      new Promise((resolve, reject) => {
        const lane = lanes.get(tenantId) ?? { waiting: [], running: 0, busy: new Set(), isScheduled: false };
        lanes.set(tenantId, lane);
        lane.waiting.push({ job, keys: keysOf(job), weight: weightOf(job), resolve, reject });
        if (lane.isScheduled) return;
        lane.isScheduled = true;
        // Callers whose requests arrived in the same turn of the event loop go together.
        setImmediate(() => {
          lane.isScheduled = false;
          start(tenantId, lane);
        });
      }),
  };
}

/** Takes from the front the jobs that have no key in common with one that runs, or with an earlier one that stays behind. */
function take<Job, Result>(lane: Lane<Job, Result>, sizeMax: number, weightMax: number): Waiting<Job, Result>[] {
  const { waiting, busy } = lane;
  const batch: Waiting<Job, Result>[] = [];
  const left: Waiting<Job, Result>[] = [];
  const held = new Set<string>();
  let weight = 0;
  let position = 0;
  for (; position < waiting.length && batch.length < sizeMax; position += 1) {
    const next = waiting[position];
    if (!next) break;
    if (next.keys.some((key) => busy.has(key) || held.has(key))) {
      left.push(next);
      for (const key of next.keys) held.add(key);
      continue;
    }
    if (batch.length > 0 && weight + next.weight > weightMax) break;
    weight += next.weight;
    batch.push(next);
  }
  lane.waiting = [...left, ...waiting.slice(position)];
  for (const { keys } of batch) for (const key of keys) busy.add(key);
  return batch;
}
