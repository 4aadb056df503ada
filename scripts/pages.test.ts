import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");
const { scripts } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { scripts: Record<string, string> };
const told = globSync(["*.md", "{apps,bench,db,docs,e2e,packages,scripts}/**/*.{md,ts,mjs}"], {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**"],
}).map((file) => ({ file, text: readFileSync(join(root, file), "utf8") }));

const pages = told.filter(({ file }) => file.endsWith(".md"));

test("pages and messages name no TypeScript to be run by the system's Node, which may be too old for it", () => {
  const runs = told.flatMap(({ file, text }) =>
    [...text.matchAll(/(?<![\w/])node [\w./-]+\.ts\b/g)].map(([command]) => `${file}: ${command}`),
  );
  expect(runs).toEqual([]);
});

test("each command of npm that a page names is there", () => {
  const named = new Set(pages.flatMap(({ text }) => [...text.matchAll(/\bnpm run (?:--silent )?([a-z-]+)/g)].map(([, name]) => name!)));
  expect(named).toContain("schema");
  expect([...named].filter((name) => !(name in scripts))).toEqual([]);
});

test("each picture is on a page, and each that a page names is there", () => {
  const taken = globSync("docs/screenshots/*.png", { cwd: root }).map((file) => basename(file));
  const named = pages.flatMap(({ text }) => [...text.matchAll(/screenshots\/([\w-]+\.png)/g)].map(([, name]) => name!));
  expect([...new Set(named)].toSorted()).toEqual(taken.toSorted());
});
