import { expect, test } from "vitest";
import { untilBack } from "./until-back.ts";

test("what is asked while the database is away is answered once it is back; it is given up with the message, and for other faults", async () => {
  const away = Object.assign(new Error("the database system is starting up"), { code: "57P03" });
  const { signal } = new AbortController();
  let tries = 0;
  await untilBack(async () => {
    tries += 1;
    if (tries < 3) throw away;
  }, signal);
  expect(tries).toBe(3);
  const lost = new AbortController();
  const waiting = untilBack(async () => {
    lost.abort();
    throw away;
  }, lost.signal);
  await expect(waiting).rejects.toThrow("starting up");
  const broken = new Error("a column is missing");
  await expect(untilBack(() => Promise.reject(broken), signal)).rejects.toBe(broken);
});
