import { pino } from "pino";
import { expect, test } from "vitest";
import { startLoops } from "./loops.ts";

test("a chore that fails runs again, and is told of once until it works; a chore that hangs delays no other", async () => {
  const gate = Promise.withResolvers<void>();
  const sixth = Promise.withResolvers<void>();
  type Line = { chore: string; failures: number; msg: string; err?: { message: string } };
  const lines: Line[] = [];
  let rounds = 0;
  const loops = startLoops(
    [
      { name: "hanging", everyMs: 1, run: () => gate.promise },
      {
        name: "failing",
        everyMs: 1,
        run: async () => {
          rounds += 1;
          if (rounds === 6) sixth.resolve();
          if (rounds !== 4 && rounds < 6) throw new Error(`round ${rounds}`);
        },
      },
    ],
    pino({ base: null, timestamp: false }, { write: (line) => lines.push(JSON.parse(line) as Line) }),
  );
  await sixth.promise;
  gate.resolve();
  await loops.stop();
  expect(lines.map(({ chore, failures, msg, err }) => `${chore}, ${failures}: ${err?.message ?? msg}`)).toEqual([
    "failing, 1: round 1",
    "failing, 3: a chore works again",
    "failing, 1: round 5",
    "failing, 1: a chore works again",
  ]);
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
    pino({ level: "silent" }),
  );
  await begun.promise;
  const stopped = loops.stop();
  gate.resolve();
  await stopped;
  expect(finished).toBe(1);
});
