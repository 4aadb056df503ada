import type pg from "pg";
import { expect, test } from "vitest";
import { createPublisher } from "./publisher.ts";

const message = { tenantId: 1, queueId: 1, subtenantId: 1, key: "a", entityType: "order", document: "{}" };

test("what may have been published as the connection broke is refused to its callers and not published again", async () => {
  let asked = 0;
  const broken = Object.assign(new Error("Connection terminated unexpectedly"), { code: "08006" });
  const query = () => {
    asked += 1;
    return Promise.reject(broken);
  };
  const publisher = createPublisher({ query } as unknown as pg.Pool);
  expect(await Promise.allSettled([publisher.publish(message), publisher.publish(message)])).toEqual([
    { status: "rejected", reason: broken },
    { status: "rejected", reason: broken },
  ]);
  expect(asked).toBe(1);
});

test("what comes at once is published in commits of up to 500, each answered with its own id, and the stop waits for all", async () => {
  let id = 0;
  const sizes: number[] = [];
  const query = async ({ values }: { values: string[] }) => {
    const size = String(values[6]).split(",").length;
    sizes.push(size);
    return { rows: [{ ids: `{${Array.from({ length: size }, () => ++id).join(",")}}` }] };
  };
  const publisher = createPublisher({ query } as unknown as pg.Pool);
  const published = Promise.all(Array.from({ length: 1_200 }, () => publisher.publish(message)));
  await publisher.stop();
  expect(sizes).toEqual([500, 500, 200]);
  expect(await published).toEqual(Array.from({ length: 1_200 }, (_, index) => String(index + 1)));
});
