import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { inDatabase, startEmbeddedPostgres } from "./embedded.ts";
import { migrate } from "./migrate.ts";

export const testSecret = "a secret for tests only, 32 bytes long";

declare module "vitest" {
  interface ProvidedContext {
    ownerUrl: string;
  }
}

/** One PostgreSQL for the whole run; `testDatabase` clones its migrated template for each test file. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-test-"));
  // It lives no longer than the run: what a power cut would leave of it is nobody's concern.
  const settings = { fsync: "off", full_page_writes: "off" };
  const postgres = await startEmbeddedPostgres({ dir, password: "test", isTemporary: true, settings });
  await migrate(postgres.url, testSecret);
  const admin = new pg.Client({ connectionString: inDatabase(postgres.url, "postgres") });
  await admin.connect();
  await admin.query("alter database crossdock rename to template_crossdock");
  await admin.end();
  project.provide("ownerUrl", postgres.url);
  return postgres.stop;
}
