import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig, type TestUserConfig } from "vitest/config";

const shared: TestUserConfig = {
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // What is waited for comes at once on an idle machine; a busy one is given its time.
  expect: { poll: { timeout: 30_000 } },
  // Some sixty servers are started as processes of their own; with it each takes 0.6 s of the processor less.
  env: { NODE_COMPILE_CACHE: fileURLToPath(new URL("node_modules/.cache/compiled", import.meta.url)) },
};

const include = ["{db,packages,apps,bench,e2e,scripts}/**/*.test.ts"];
const exclude = ["**/node_modules/**", "**/dist/**"];

/** They put something else in the place of a module, which no other file may see. */
const mocking = globSync(include, { cwd: import.meta.dirname, exclude }).filter((file) =>
  /\bvi\.mock\(/.test(readFileSync(new URL(file, import.meta.url), "utf8")),
);

export default defineConfig({
  test: {
    globalSetup: ["db/testing-cluster.ts"],
    maxWorkers: 2,
    reporters: ["default", "./scripts/closing-line.ts"],
    projects: [
      {
        test: {
          ...shared,
          name: "shared",
          // Each worker loads the server once instead of for each of its files.
          isolate: false,
          include,
          exclude: [...exclude, ...mocking],
        },
      },
      { test: { ...shared, name: "mocking", include: mocking } },
    ],
  },
});
