import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { choose, countChosen, everything, idsOf, isChosen, isNothing, nothing, type Selection } from "./selection.ts";

const id = fc.integer({ min: 0, max: 19 }).map(String);
const step = fc.oneof(
  fc.record({ verb: fc.constant("choose" as const), ids: fc.array(id), isWanted: fc.boolean() }),
  fc.record({ verb: fc.constant("all" as const) }),
  fc.record({ verb: fc.constant("none" as const) }),
);
const allIds = Array.from({ length: 20 }, (_, index) => String(index));

function readPage(cursor: string, limit: number) {
  const start = Number(cursor || "0");
  const items = allIds.slice(start, start + Math.min(limit, 7)).map((each) => ({ id: each }));
  const next = start + items.length;
  return Promise.resolve({ items, nextCursor: next < allIds.length ? String(next) : null });
}

function refuseToRead(): Promise<never> {
  return Promise.reject(new Error("asked"));
}

describe("a selection", () => {
  test("tells of every row what a plain set of the chosen ids would, whatever is done to it", () => {
    fc.assert(
      fc.property(fc.array(step), (steps) => {
        let selection: Selection = nothing;
        let model = new Set<string>();
        for (const each of steps) {
          if (each.verb === "all") [selection, model] = [everything, new Set(allIds)];
          else if (each.verb === "none") [selection, model] = [nothing, new Set()];
          else {
            selection = choose(selection, each.ids, each.isWanted);
            for (const one of each.ids) {
              if (each.isWanted) model.add(one);
              else model.delete(one);
            }
          }
        }
        expect(allIds.filter((one) => isChosen(selection, one))).toEqual(allIds.filter((one) => model.has(one)));
        expect(countChosen(selection, allIds.length)).toBe(model.size);
      }),
    );
  });

  test("of all but some rows reaches the rows that were never loaded", async () => {
    const selection = choose(everything, ["3", "15"], false);
    expect(await idsOf(selection, readPage, new AbortController().signal)).toEqual(allIds.filter((one) => one !== "3" && one !== "15"));
  });

  test("of some rows asks the list for nothing", async () => {
    const selection = choose(nothing, ["3"], true);
    expect(await idsOf(selection, refuseToRead, new AbortController().signal)).toEqual(["3"]);
  });

  test("stops walking when it is cancelled", async () => {
    const stop = new AbortController();
    const cancelling = (cursor: string, limit: number) => {
      stop.abort();
      return readPage(cursor, limit);
    };
    await expect(idsOf(everything, cancelling, stop.signal)).rejects.toThrow("aborted");
  });

  test("of everything is not nothing, and its size is unknown while nobody counted", () => {
    expect(isNothing(nothing)).toBe(true);
    expect(isNothing(everything)).toBe(false);
    expect(countChosen(everything, null)).toBeNull();
  });
});
