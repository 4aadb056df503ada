import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as engine from "./index.ts";

test("the README's table has all that the package exports", () => {
  const page = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("## API"), page.indexOf("## Limits"));
  expect(Object.keys(engine).filter((name) => !new RegExp(`\\b${name}\\b`).test(table))).toEqual([]);
});
