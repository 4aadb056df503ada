import { expect, test } from "vitest";
import { isPayloadFilter } from "../message-filters/search.ts";
import { isScan, messageFilterOf, parseQueueSearch } from "./search.ts";

const noon = new Date("2026-11-21T12:00:00Z");

test("an address without filters asks for everything", () => {
  expect(messageFilterOf(parseQueueSearch({}), noon)).toEqual({});
});

test("what isn't a filter's value is left out instead of failing the list", () => {
  const search = parseQueueSearch({
    queue: "7 or 1=1",
    point: "7 or 1=1",
    state: "broken",
    time: "never",
    search: "  ",
    key: "",
    page: "3",
    source: 4,
    status: "9",
    attempts: "few",
    payload: "$.sku =",
    from: "now",
    to: "2026-02-31T00:00:00Z",
  });
  expect(messageFilterOf(search, noon)).toEqual({});
});

test("filters are asked for as the API names them", () => {
  const search = parseQueueSearch({
    subtenant: "main",
    queue: "7",
    point: "9",
    state: "dead",
    time: "hour",
    key: "100",
    source: "sitoo ",
    search: " lamp ",
    status: "422",
    attempts: "3",
  });
  // Numbers, as the same filter goes into the body of a job.
  expect(messageFilterOf(search, noon)).toEqual({
    subtenant: "main",
    queueId: [7],
    integrationPointId: 9,
    httpStatus: 422,
    attemptsMin: 3,
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

test.each([
  [{ search: "lamp" }, false],
  [{ search: "an oak lamp" }, false],
  [{ search: "xl" }, true],
  [{ search: "a 4" }, true],
  [{ search: '"a 4"' }, false],
  [{ search: '"ab cd' }, false],
  [{ search: '"ab" cd' }, true],
  [{ search: "😀😀" }, true],
  [{ search: '""' }, false],
  [{ status: "422" }, true],
  [{ payload: "$.a = 1" }, true],
  [{ state: "dead", key: "1" }, false],
  [{}, false],
])("%o is answered by a scan: %s", (search, expected) => {
  expect(isScan(search)).toBe(expected);
});

test("a payload filter is asked for once it is whole", () => {
  const whole = ['$.lines[*].sku = "85123A"', "$.total>100", '$["ship to"][0].zip contains "99"', "$.isPaid != true"];
  const halves = ["$", "$.lines[", "$.sku", "$.sku =", '$.sku = "85', "sku = 1", "$.sku = 85123A"];
  expect(whole.map(isPayloadFilter)).toEqual(whole.map(() => true));
  expect(halves.map(isPayloadFilter)).toEqual(halves.map(() => false));
});

test("a period and exact times exclude each other", () => {
  const from = "2026-11-01T08:00:00.000Z";
  expect(messageFilterOf({ from, to: "2026-11-02T08:00:00.000Z" }, noon)).toEqual({ from, to: "2026-11-02T08:00:00.000Z" });
  expect(messageFilterOf({ from, time: "hour" }, noon)).toEqual({ from: "2026-11-21T11:00:00.000Z" });
});
