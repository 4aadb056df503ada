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
  expect(group.size).toBe(4);
  gate.resolve();
  expect(await Promise.all([first, ...others])).toEqual(["A", "B", "C", "D"]);
  expect(batches).toEqual([["a"], ["b", "c", "d"]]);
  expect(group.size).toBe(0);
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
  runs = 0;
  const lost = await Promise.allSettled(["a", "gone"].map((job) => group.submit(1, job)));
  expect(lost.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  expect(runs).toBe(1);
  expect(group.size).toBe(0);
});
