import { afterAll, beforeAll, expect, test } from "vitest";
import { clockChore } from "./clocks.ts";
import { type TestApp, testApp } from "./testing/test-app.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const look = (offsetMs: number) => clockChore(made.deps.pools.app, () => Date.now() + offsetMs).run(new AbortController().signal);

test("a clock that is an hour from the database's is told, one that is right is not", async () => {
  await expect(look(0)).resolves.toBeUndefined();
  await expect(look(3_600_000)).rejects.toThrow(/clock is 3[56]\d\d s ahead of the database's/);
  await expect(look(-3_600_000)).rejects.toThrow(/clock is 3[56]\d\d s behind the database's/);
});
