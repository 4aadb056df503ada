import { expect, test } from "vitest";
import { parseTextSearch, pickTexts, writeTextSearch } from "./text-search.ts";

test("texts go through an address unchanged, numbers and signs included", () => {
  const search = { key: "10023", source: "a&b=c?d#e", search: "Lampe für 5 €" };
  expect(parseTextSearch(writeTextSearch(search))).toEqual(search);
  expect(writeTextSearch({ key: "10023" })).toBe("?key=10023");
});

test("empty filters don't show in the address", () => {
  expect(writeTextSearch({ key: "", source: undefined })).toBe("");
});

test("only named texts are taken from an address, and all others are told to be none", () => {
  expect(pickTexts({ key: "1", other: "2", state: "" }, ["key", "state"])).toStrictEqual({ key: "1", other: undefined, state: undefined });
});
