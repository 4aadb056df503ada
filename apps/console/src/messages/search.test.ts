import { expect, test } from "vitest";
import { messageFilterOf, parseQueueSearch } from "./search.ts";

const noon = new Date("2026-11-21T12:00:00Z");

test("an address without filters asks for everything", () => {
  expect(messageFilterOf(parseQueueSearch({}), noon)).toEqual({});
});

test("what isn't a filter's value is left out instead of failing the list", () => {
  const search = parseQueueSearch({ queue: "7 or 1=1", state: "broken", time: "never", search: "xy ", key: "", page: "3", source: 4 });
  expect(messageFilterOf(search, noon)).toEqual({});
});

test("filters are asked for as the API names them", () => {
  const search = parseQueueSearch({
    subtenant: "main",
    queue: "7",
    state: "dead",
    time: "hour",
    key: "100",
    source: "sitoo",
    search: " lamp ",
  });
  expect(messageFilterOf(search, noon)).toEqual({
    subtenant: "main",
    queueId: ["7"],
    state: ["dead"],
    keyPrefix: "100",
    source: "sitoo",
    search: "lamp",
    from: "2026-11-21T11:00:00.000Z",
  });
});

test("'waiting' stands for every state from which a message still goes out", () => {
  expect(messageFilterOf({ state: "waiting" }, noon)).toEqual({ state: ["ready", "in-hand", "retrying", "parked"] });
});
