import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { emptyLayout, gridTracks, moveColumn, orderColumns, parseLayout, shownColumns, type Column } from "./columns.ts";

const column = (id: string, rest: Partial<Column<unknown>> = {}): Column<unknown> => ({
  id,
  header: id,
  cell: () => id,
  minWidth: 100,
  grow: 1,
  ...rest,
});
const columns = [column("key", { isTitle: true }), column("queue"), column("error", { showFrom: 900 }), column("time")];
const idsOf = (list: Column<unknown>[]) => list.map(({ id }) => id);

describe("the columns of a table", () => {
  test("come in the operator's order, the title first, columns unknown to that order last", () => {
    expect(idsOf(orderColumns(columns, ["time", "key", "gone", "queue"]))).toEqual(["key", "time", "queue", "error"]);
  });

  test("are shown as their width allows until the operator chooses", () => {
    expect(idsOf(shownColumns(columns, emptyLayout, 800))).toEqual(["key", "queue", "time"]);
    const chosen = { ...emptyLayout, isShown: { error: true, queue: false, key: false } };
    expect(idsOf(shownColumns(columns, chosen, 800))).toEqual(["key", "error", "time"]);
  });

  test("move one place at a time and never before the title", () => {
    expect(moveColumn(columns, [], "time", -1)).toEqual(["key", "queue", "time", "error"]);
    expect(moveColumn(columns, [], "queue", -1)).toEqual(["key", "queue", "error", "time"]);
    expect(moveColumn(columns, [], "time", 1)).toEqual(["key", "queue", "error", "time"]);
  });

  test("never need more room than the table has", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 48, max: 900 }), { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 100, max: 2000 }),
        (widths, room) => {
          const many = widths.map((_, index) => column(String(index)));
          const tracks = gridTracks(many, Object.fromEntries(widths.entries()), room);
          const least = [...tracks.matchAll(/minmax\((\d+)px/g)].reduce((sum, [, width]) => sum + Number(width), 0);
          expect(least).toBeLessThanOrEqual(room);
        },
      ),
      { examples: [[[900, 900], 360]] },
    );
  });
});

test.each([null, "", "no JSON", "[]", "7", '{"order":"key","isShown":[],"widths":{"key":"wide"}}'])(
  "a stored layout that isn't one counts as none: %s",
  (text) => {
    expect(parseLayout(text)).toEqual(emptyLayout);
  },
);

test("a stored layout comes back as it was", () => {
  const layout = { order: ["b", "a"], isShown: { a: false }, widths: { b: 120 } };
  expect(parseLayout(JSON.stringify(layout))).toEqual(layout);
});
