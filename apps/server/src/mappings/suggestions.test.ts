import { expect, test } from "vitest";
import { suggestionsFor } from "./suggestions.ts";

const row = (sourceValue: string, targetValue: string, others: object = {}) => ({
  fieldName: "Color",
  source: "litium",
  sourceValue,
  target: "centra",
  targetValue,
  ...others,
});
const rows = [
  row("Navy Blue", "N"),
  row("Crème", "C"),
  row("Burgundy", "B"),
  row("Anthracite", "A"),
  row("Anthracit", "Q"),
  row("Size 100", "S"),
  row("Red", "R"),
  row("*", "any"),
  row("Gold*", "G"),
  row("Silvery", "*"),
  row("Violet", "V", { target: "shopify" }),
  row("Olive green", "O", { source: "brink" }),
  row("Turquoise", "T", { source: "*" }),
  row("turquoise", "T2"),
];
const suggest = (value: string) => suggestionsFor(rows)({ fieldName: "Color", value, source: "litium", target: "centra" });

test.each<[string, object | null]>([
  ["NAVY-BLUE ", { targetValue: "N", like: "Navy Blue" }],
  ["creme", { targetValue: "C", like: "Crème" }],
  ["Burgundi", { targetValue: "B", like: "Burgundy" }],
  ["Anthracite grey", null],
  ["Anthraciet", { targetValue: "Q", like: "Anthracit" }],
  ["Anthracitx", null],
  ["TURQUOISE", null],
  ["Size 101", null],
  ["Rad", null],
  ["Golden", null],
  ["Silverx", null],
  ["Violett", null],
  ["Olive greens", null],
])("%s is told what a known value of its field reads that is spelt alike, if there is only one", (value, suggestion) => {
  expect(suggest(value)).toEqual(suggestion);
});
