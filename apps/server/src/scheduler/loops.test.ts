import { expect, test } from "vitest";
import { startLoops } from "./loops.ts";

test("a chore that fails is told of and runs again; a chore that hangs delays no other", async () => {
  const gate = Promise.withResolvers<void>();
  const thrice = Promise.withResolvers<void>();
  const told: string[] = [];
  let rounds = 0;
  const loops = startLoops(
    [
      { name: "hanging", everyMs: 1, run: () => gate.promise },
      {
        name: "failing",
        everyMs: 1,
        run: async () => {
          rounds += 1;
          if (rounds === 3) thrice.resolve();
          throw new Error(`round ${rounds}`);
        },
      },
    ],
    (chore) => told.push(chore),
  );
  await thrice.promise;
  gate.resolve();
  await loops.stop();
  expect(told.slice(0, 3)).toEqual(["failing", "failing", "failing"]);
});

test("stopping waits for the round under way and begins no other", async () => {
  const begun = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  let finished = 0;
  const loops = startLoops(
    [
      {
        name: "slow",
        everyMs: 1,
        run: async () => {
          begun.resolve();
          await gate.promise;
          finished += 1;
        },
      },
    ],
    () => undefined,
  );
  await begun.promise;
  const stopped = loops.stop();
  gate.resolve();
  await stopped;
  expect(finished).toBe(1);
});
