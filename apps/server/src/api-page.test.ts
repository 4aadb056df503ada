import { readFileSync } from "node:fs";
import { errorCodes, routes } from "@crossdock/contract";
import { expect, test } from "vitest";

const page = readFileSync(new URL("../../../docs/api.md", import.meta.url), "utf8");

test.each(Object.entries(routes))("docs/api.md tells of %s as the contract declares it", (_name, { method, path, permission, summary }) => {
  expect(page).toContain(`| \`${method} ${path}\` | ${permission} | ${summary} |`);
});

test.each(Object.entries(errorCodes))("docs/api.md tells of the error %s", (code, { status, title }) => {
  expect(page).toContain(`| \`${code}\` | ${status} | ${title} |`);
});

test("docs/api.md tells of no route that is gone", () => {
  expect(page.match(/^\| `[A-Z]+ /gm)).toHaveLength(Object.keys(routes).length + 2);
});
