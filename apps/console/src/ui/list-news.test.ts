import fc from "fast-check";
import { expect, test } from "vitest";
import { compareStart } from "./list-news.ts";

const part = (...ids: string[]) => ({ ids, isWhole: false });
const whole = (...ids: string[]) => ({ ids, isWhole: true });
const news = (shown: ReturnType<typeof part>, start: ReturnType<typeof part>) => {
  const { count, isMore, goneIds } = compareStart(shown, start);
  return { count, isMore, gone: [...goneIds] };
};

test("rows before those on the screen are news", () => {
  expect(news(part("c", "b", "a"), part("e", "d", "c"))).toEqual({ count: 2, isMore: false, gone: [] });
});

test("rows that move up from behind because others left are none", () => {
  expect(news(part("d", "c", "b"), part("c", "b", "a"))).toEqual({ count: 0, isMore: false, gone: ["d"] });
});

test("a page of nothing but new rows may have more behind it", () => {
  expect(news(part("b", "a"), part("d", "c"))).toEqual({ count: 2, isMore: true, gone: [] });
});

test("of a list that is known as a whole every row counts", () => {
  expect(news(whole("a"), whole("a", "b"))).toEqual({ count: 1, isMore: false, gone: [] });
  expect(news(whole("a", "b"), whole())).toEqual({ count: 0, isMore: false, gone: ["a", "b"] });
  expect(news(whole(), whole("a"))).toEqual({ count: 1, isMore: false, gone: [] });
});

test("the same rows are no news, however many are in memory", () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.uuid()), fc.nat(50), (ids, read) => {
      expect(news(part(...ids), part(...ids.slice(0, read)))).toEqual({ count: 0, isMore: false, gone: [] });
    }),
  );
});
