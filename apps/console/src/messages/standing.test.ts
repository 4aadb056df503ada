import { expect, test } from "vitest";
import { standingOf } from "./standing.ts";

const ids = (...messages: Parameters<typeof standingOf>[0]) => standingOf(messages).map(({ id }) => id);

test("an object stands at each target where its newest message does", () => {
  expect(
    ids(
      { id: "9", queueId: 2, state: "delivered" },
      { id: "8", queueId: 1, state: "retrying" },
      { id: "5", queueId: 2, state: "dead" },
      { id: "4", queueId: 1, state: "delivered" },
    ),
  ).toEqual(["9", "8"]);
});

test("before a message that waits behind another stands what holds it up", () => {
  expect(
    ids(
      { id: "9", queueId: 1, state: "parked" },
      { id: "8", queueId: 2, state: "dead" },
      { id: "7", queueId: 1, state: "parked" },
      { id: "6", queueId: 1, state: "dead" },
      { id: "5", queueId: 1, state: "delivered" },
    ),
  ).toEqual(["6", "9", "8"]);
});

test("what something newer has replaced does not tell where the object stands", () => {
  expect(ids({ id: "9", queueId: 1, state: "superseded" }, { id: "8", queueId: 1, state: "delivered" })).toEqual(["8"]);
});
