import { expect, test } from "vitest";
import type { Receipt } from "../../apps/demo/src/sandbox-client.ts";
import { runChaos } from "./run.ts";
import { judge } from "./verdict.ts";

const seed = Number(process.env["CHAOS_SEED"] ?? "7");

test(`ten kills lose nothing acknowledged and keep every lane in order (seed ${seed})`, { timeout: 300_000 }, async () => {
  const outcome = await runChaos({ kills: 10, messages: 1_500, keys: 150, seed }, () => {});
  expect(Object.values(outcome.kills).reduce((sum, count) => sum + count, 0)).toBe(10);
  expect(outcome).toMatchObject({ acknowledged: 1_500, delivered: 1_500, lost: 0, outOfOrder: 0, publishedTwice: 0 });
});

async function* receipts(...arrivals: [key: string, version: number, messageId: string][]): AsyncGenerator<Receipt> {
  let sequence = 0;
  for (const [key, version, messageId] of arrivals) {
    yield {
      sequence: (sequence += 1),
      at: 0,
      entity: "order",
      key,
      messageId,
      isDuplicate: false,
      body: JSON.stringify({ note: String(version) }),
    };
  }
}

test("the judge sees losses, wrong order, repeats and doubles", async () => {
  const acknowledged = new Map([
    ["a", [1, 2]],
    ["b", [1, 2]],
  ]);
  expect(
    await judge(acknowledged, receipts(["a", 1, "10"], ["a", 1, "10"], ["a", 2, "11"], ["a", 1, "10"], ["b", 1, "20"], ["b", 2, "21"])),
  ).toMatchObject({
    delivered: 4,
    lost: 0,
    outOfOrder: 0,
    repeated: 2,
    repeatedAfterNewer: 1,
    publishedTwice: 0,
  });
  expect(await judge(acknowledged, receipts(["a", 2, "11"], ["a", 1, "10"], ["b", 1, "20"], ["b", 1, "22"]))).toMatchObject({
    delivered: 3,
    lost: 1,
    outOfOrder: 1,
    repeated: 0,
    repeatedAfterNewer: 0,
    publishedTwice: 1,
  });
});
