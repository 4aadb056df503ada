import { expect, test } from "vitest";
import { rowsOf, shareRows, startOfList, type ListPage } from "./list-query.ts";

type Row = { id: string; state: string; filters: string[] };
const row = (id: number, state = "ready"): Row => ({ id: String(id), state, filters: ["a"] });
const page = (...items: Row[]): ListPage<Row> => ({ items, nextCursor: "more" });
const places = (...pages: ListPage<Row>[]) => ({ pages, pageParams: pages.map(() => startOfList) });

function share(before: ListPage<Row>[], after: ListPage<Row>[]) {
  const result = shareRows(places(...before), places(...after)) as ReturnType<typeof places>;
  expect(result).toEqual(places(...after));
  return rowsOf(result).rows;
}

test("of rows that are read again, those that changed are new and all others are the same", () => {
  const known = [row(1), row(2), row(3)];
  const rows = share([page(...known)], [page(row(4), row(1), row(2, "dead"), row(3))]);
  expect(rows.map((each) => known.indexOf(each))).toEqual([-1, 0, -1, 2]);
});

test("rows that stay in memory are the same when the first page leaves it", () => {
  const [first, second, third] = [page(row(1)), page(row(2)), page(row(3))];
  const rows = share([first, second], [second, third]);
  expect(rows[0]).toBe(second.items[0]);
  expect(rows[1]).toBe(third.items[0]);
});

test("the first answer is taken as it is", () => {
  const first = places(page(row(1)));
  expect(shareRows(undefined, first)).toBe(first);
});
