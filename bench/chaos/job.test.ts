import { expect, test } from "vitest";
import { isExact, runJobChaos } from "./job.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? "7");
const items = 4_000;

test(`a bulk job whose processes are killed changes each message once and ends with exact counts (seed ${seed})`, async () => {
  const outcome = await runJobChaos({ items, kills: 1, seed }, () => {});
  expect(outcome).toMatchObject({
    removal: { state: "done", total: items, done: items, skipped: 0, failed: 0, results: items },
    removed: items,
    undo: { state: "done", total: items, done: items, skipped: 0, failed: 0, results: items },
    restored: items,
  });
  expect(isExact(outcome, items)).toBe(true);
  expect(Object.values(outcome.kills).reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(2);
}, 300_000);
