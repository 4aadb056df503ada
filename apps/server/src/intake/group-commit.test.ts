import { setImmediate as nextTurn } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createGroupCommit } from "./group-commit.ts";

test("calls made while a transaction runs share the next one, and each gets its own result", async () => {
  const batches: string[][] = [];
  const gate = Promise.withResolvers<void>();
  const group = createGroupCommit<string, string>({
    sizeMax: 100,
    run: async (_tenantId, jobs) => {
      batches.push(jobs);
      if (batches.length === 1) await gate.promise;
      return jobs.map((job) => job.toUpperCase());
    },
  });
  const first = group.submit(1, "a");
  await new Promise(setImmediate);
  const others = ["b", "c", "d"].map((job) => group.submit(1, job));
  await nextTurn();
  expect(batches).toEqual([["a"]]);
  gate.resolve();
  expect(await Promise.all([first, ...others])).toEqual(["A", "B", "C", "D"]);
  expect(batches).toEqual([["a"], ["b", "c", "d"]]);
});

test("a batch never mixes tenants, and one tenant does not wait for another", async () => {
  const gate = Promise.withResolvers<void>();
  const group = createGroupCommit<string, string>({
    sizeMax: 100,
    run: async (tenantId, jobs) => {
      if (tenantId === 1) await gate.promise;
      return jobs.map((job) => `${tenantId}${job}`);
    },
  });
  const slow = group.submit(1, "a");
  expect(await group.submit(2, "b")).toBe("2b");
  gate.resolve();
  expect(await slow).toBe("1a");
});

test("a batch is no larger than allowed", async () => {
  const sizes: number[] = [];
  const group = createGroupCommit<number, number>({
    sizeMax: 3,
    run: async (_tenantId, jobs) => {
      sizes.push(jobs.length);
      return jobs;
    },
  });
  await Promise.all(Array.from({ length: 7 }, (_, index) => group.submit(1, index)));
  expect(sizes).toEqual([3, 3, 1]);
});

test("a batch is no heavier than allowed, unless one job alone is", async () => {
  const batches: number[][] = [];
  const group = createGroupCommit<number, number>({
    sizeMax: 100,
    weightOf: (job) => job,
    weightMax: 10,
    run: async (_tenantId, jobs) => {
      batches.push(jobs);
      return jobs;
    },
  });
  const jobs = [4, 6, 1, 30, 2, 5, 5];
  expect(await Promise.all(jobs.map((job) => group.submit(1, job)))).toEqual(jobs);
  expect(batches).toEqual([[4, 6], [1], [30], [2, 5], [5]]);
});

test("a poisonous job fails alone; a lost connection fails all and is not tried again", async () => {
  let runs = 0;
  const group = createGroupCommit<string, string>({
    sizeMax: 100,
    isPoison: (error) => error instanceof Error && error.message === "poison",
    run: async (_tenantId, jobs) => {
      runs += 1;
      if (jobs.includes("bad")) throw new Error("poison");
      if (jobs.includes("gone")) throw new Error("connection lost");
      return jobs;
    },
  });
  const results = await Promise.allSettled(["a", "b", "bad", "c", "d"].map((job) => group.submit(1, job)));
  expect(results.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected", "fulfilled", "fulfilled"]);
  // All five, two that are done, three, and of these the one that fails and two that are done.
  expect(runs).toBe(5);
  runs = 0;
  const lost = await Promise.allSettled(["a", "gone"].map((job) => group.submit(1, job)));
  expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(runs).toBe(1);
});

test("where some of the results are missing, all jobs fail at once, and none is done again or waited for", async () => {
  let runs = 0;
  const group = createGroupCommit<string, string>({
    sizeMax: 100,
    run: async (_tenantId, jobs) => {
      runs += 1;
      return jobs.slice(1);
    },
  });
  const results = await Promise.allSettled(["a", "b"].map((job) => group.submit(1, job)));
  expect(results.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(runs).toBe(1);
});

test("a second transaction runs beside the first with what has no key in common with it, and so does nothing that came after the same", async () => {
  const batches: string[][] = [];
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const group = createGroupCommit<string, string>({
    sizeMax: 100,
    runningMax: 2,
    keysOf: (job) => job.split(""),
    run: async (_tenantId, jobs) => {
      await gates[batches.push(jobs) - 1]?.promise;
      return jobs;
    },
  });
  const first = group.submit(1, "ab");
  await nextTurn();
  const others = ["c", "bd", "d", "e"].map((job) => group.submit(1, job));
  await nextTurn();
  // "d" waits for "bd", which waits for "ab".
  expect(batches).toEqual([["ab"], ["c", "e"]]);
  gates[1]?.resolve();
  expect(await Promise.all([others[0], others[3]])).toEqual(["c", "e"]);
  expect(batches).toHaveLength(2);
  gates[0]?.resolve();
  expect(await Promise.all([first, ...others])).toEqual(["ab", "c", "bd", "d", "e"]);
  expect(batches).toEqual([["ab"], ["c", "e"], ["bd", "d"]]);
});

const jobs = fc.array(fc.uniqueArray(fc.integer({ min: 0, max: 4 }), { maxLength: 3 }), { minLength: 1, maxLength: 40 });

test("whatever comes when, each job is done once, jobs with a key in common in the order they came in and never at once", async () => {
  await fc.assert(
    fc.asyncProperty(jobs, fc.infiniteStream(fc.nat(3)), fc.integer({ min: 1, max: 5 }), async (keysOf, pauses, sizeMax) => {
      const done: number[] = [];
      const running = new Map<number, number[]>();
      const group = createGroupCommit<number, number>({
        sizeMax,
        runningMax: 2,
        keysOf: (job) => keysOf[job]?.map(String) ?? [],
        isPoison: () => true,
        run: async (_tenantId, batch) => {
          const own = batch.flatMap((job) => keysOf[job] ?? []);
          expect(running.size).toBeLessThan(2);
          for (const [, keys] of running) expect(keys.filter((key) => own.includes(key))).toEqual([]);
          const id = Math.max(0, ...running.keys()) + 1;
          running.set(id, own);
          for (let turns = pauses.next().value; turns > 0; turns -= 1) await nextTurn();
          running.delete(id);
          if (batch.length > 1 && batch.includes(0)) throw new Error("poison");
          done.push(...batch);
          return batch.map((job) => job * 2);
        },
      });
      const results: Promise<number>[] = [];
      for (const job of keysOf.keys()) {
        for (let turns = pauses.next().value; turns > 1; turns -= 1) await nextTurn();
        results.push(group.submit(1, job));
      }
      expect(await Promise.all(results)).toEqual([...keysOf.keys()].map((job) => job * 2));
      expect(done.toSorted((a, b) => a - b)).toEqual([...keysOf.keys()]);
      for (let key = 0; key <= 4; key += 1) {
        const ofKey = done.filter((job) => keysOf[job]?.includes(key));
        expect(ofKey).toEqual(ofKey.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 200 },
  );
});
