import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pulsed } from "./pulse.ts";

const pauseMs = 1000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A pulse whose runs settle when `answer` is called; `twice` is asked for again after the pause. */
function makePulse() {
  const runs: string[] = [];
  let answered = Promise.withResolvers<void>();
  const call = pulsed<string>({
    run: (kinds) => {
      runs.push([...kinds].join("+"));
      answered = Promise.withResolvers();
      return answered.promise;
    },
    after: (kind) => (kind === "twice" ? [kind] : []),
    pauseMs,
  });
  async function answer(): Promise<void> {
    answered.resolve();
    await vi.advanceTimersByTimeAsync(0);
  }
  return { runs, call, answer };
}

test("what is called for while answers are awaited is asked for once all of them are here, and once", async () => {
  const { runs, call, answer } = makePulse();
  call(["jobs"]);
  for (const kinds of [["queues"], ["notes"], ["queues"]]) {
    call(kinds);
    await vi.advanceTimersByTimeAsync(pauseMs * 3);
  }
  expect(runs).toEqual(["jobs"]);
  await answer();
  expect(runs).toEqual(["jobs", "queues+notes"]);
});

test("quick answers do not shorten the pause", async () => {
  const { runs, call, answer } = makePulse();
  call(["jobs"]);
  await answer();
  call(["jobs"]);
  await vi.advanceTimersByTimeAsync(pauseMs - 1);
  expect(runs).toEqual(["jobs"]);
  await vi.advanceTimersByTimeAsync(1);
  expect(runs).toEqual(["jobs", "jobs"]);
});

test("a kind that stands for its second is asked for once more, and then no more", async () => {
  const { runs, call, answer } = makePulse();
  call(["twice", "jobs"]);
  for (let round = 0; round < 3; round += 1) {
    await vi.advanceTimersByTimeAsync(pauseMs);
    await answer();
  }
  expect(runs).toEqual(["twice+jobs", "twice"]);
  call(["jobs"]);
  expect(runs).toEqual(["twice+jobs", "twice", "jobs"]);
});
