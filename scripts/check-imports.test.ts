import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "crossdock-imports-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function check(files: Record<string, string>): { status: number | null; said: string[] } {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, "check-imports.ts")], { cwd: root, encoding: "utf8" });
  return { status, said: stderr.trim().split("\n") };
}

test.each([
  ["packages/contract/src/a.ts", 'import { request } from "undici";', "packages/contract must not import undici"],
  ["packages/contract/src/a.ts", 'import "node:fs";', "packages/contract must not import node:fs"],
  ["packages/queue/src/a.ts", 'import { get } from "node:http";', "packages/queue must not import node:http"],
  ["packages/connectors/src/a.ts", 'import type { Server } from "node:http";', "packages/connectors must not import node:http"],
  ["packages/connectors/src/a.ts", 'import { migrate } from "../../../db/index.ts";', "reaches into db by path; import its package"],
  ["packages/connectors/src/a.ts", 'import { migrate } from "@crossdock/db";', "packages/connectors must not import db"],
  ["packages/connectors/src/a.ts", 'import pg from "pg";', "pg belongs to db, packages/queue, apps/server, bench, e2e, scripts"],
  ["packages/connectors/src/a.ts", 'export const a = await import("undici");', "packages/connectors must not import undici"],
  ["apps/sandbox/src/a.ts", 'import {\n  z,\n} from "zod";', "apps/sandbox must not import zod"],
  ["apps/sandbox/src/distance.ts", 'import { Id } from "@crossdock/contract";', "apps/sandbox must not import packages/contract"],
  ["apps/demo/src/a.ts", 'import { readConfig } from "../../server/src/config.ts";', "apps/demo must not import apps/server"],
  ["apps/server/src/a.ts", 'export * from "../../../scripts/schema.ts";', "apps/server must not import scripts"],
  ["apps/server/src/a.ts", 'import { a } from "../../../vitest.config.ts";', "apps/server must not import from outside the map"],
  ["apps/server/src/jobs/a.ts", 'import { a } from "../users/a.ts";', "feature jobs imports feature users"],
  ["apps/server/src/api/a.ts", 'import { a } from "../users/a.ts";', "feature api imports feature users"],
  ["apps/server/src/jobs/a.ts", 'import { a } from "../testing/test-app.ts";', "feature jobs imports feature testing"],
  ["apps/server/src/jobs/testing.ts", 'import { a } from "../users/a.ts";', "feature jobs imports feature users"],
  [
    "apps/server/src/jobs/a.ts",
    'import { a } from "../messages/trace-routes.ts";',
    "apps/server/src/messages/trace-routes.ts is opened by the application alone",
  ],
  [
    "apps/console/src/jobs/a.tsx",
    'import { A } from "../alerts/alerts-page.tsx";',
    "apps/console/src/alerts/alerts-page.tsx is opened by the application alone",
  ],
  [
    "apps/console/src/a.tsx",
    'import { Id } from "@crossdock/contract";',
    'the console takes only types from the contract; write "import type"',
  ],
  [
    "apps/console/src/a.tsx",
    'export { Id } from "@crossdock/contract";',
    'the console takes only types from the contract; write "import type"',
  ],
  [
    "apps/console/src/a.tsx",
    'import { type Id } from "@crossdock/contract";',
    'the console takes only types from the contract; write "import type"',
  ],
  ["scripts/a.mjs", 'import { startSandbox } from "@crossdock/sandbox";', "scripts must not import apps/sandbox"],
])("%s may not say %s", (file, line, complaint) => {
  expect(check({ [file]: `${line}\n` })).toEqual({ status: 1, said: [expect.stringContaining(`${file}: ${complaint}`)] });
});

test("what the map allows passes", () => {
  const files = {
    "db/a.ts": 'import { readFileSync } from "node:fs";\nimport pg from "pg";',
    "packages/connectors/src/acme/a.ts":
      'import { createHmac } from "node:crypto";\nimport { Item } from "@crossdock/contract";\nimport { z } from "zod";',
    "packages/connectors/src/a.test.ts": 'import { get } from "node:http";\nimport { startSandbox } from "@crossdock/sandbox";',
    "apps/server/src/users/a.ts":
      'import { lease } from "@crossdock/queue";\nimport { inTenant } from "../db.ts";\nimport { a } from "../api/a.ts";',
    "apps/server/src/testing/a.ts": 'import { a } from "../users/a.ts";',
    "apps/console/src/a.ts": 'import type { Item } from "@crossdock/contract";\nexport type { Id } from "@crossdock/contract";',
    "apps/console/src/a.test.ts": 'import { Item } from "@crossdock/contract";',
    "apps/console/dist/a.ts": 'import { Item } from "@crossdock/contract";',
    "bench/queue/a.ts": 'import { signIn } from "../../apps/demo/src/client.ts";',
  };
  expect(check(files)).toEqual({ status: 0, said: [""] });
});

test("a folder without anything to check does not pass", () => {
  expect(check({})).toEqual({ status: 1, said: ["there are no files to check here"] });
});
