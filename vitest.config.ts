import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{db,packages,apps,bench,e2e,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["db/testing-cluster.ts"],
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // What is waited for comes at once on an idle machine; a busy one is given its time.
    expect: { poll: { timeout: 30_000 } },
    maxWorkers: 2,
    reporters: ["default", "./scripts/closing-line.ts"],
  },
});
