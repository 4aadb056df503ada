import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["{db,packages,apps,bench,e2e,scripts}/**/*.test.ts"],
    exclude: ["**/node_modules/**", "**/dist/**"],
    globalSetup: ["db/testing-cluster.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    reporters: ["default", "./scripts/closing-line.ts"],
  },
});
