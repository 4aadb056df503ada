import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { roleUrl } from "./migrate.ts";
import { testSecret } from "./testing-cluster.ts";

export { testSecret } from "./testing-cluster.ts";

export type TestDatabase = {
  ownerUrl: string;
  appUrl: string;
  workerUrl: string;
  /** Drops the database, ending what is still connected to it. */
  drop: () => Promise<void>;
};

/** A fresh, migrated database of the test's own, on the run's real PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  const shared = inject("ownerUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdmin(shared, `create database ${name} template template_crossdock`);
  const ownerUrl = shared.replace(/crossdock$/, name);
  return {
    ownerUrl,
    appUrl: roleUrl(ownerUrl, testSecret, "app"),
    workerUrl: roleUrl(ownerUrl, testSecret, "worker"),
    drop: () => asAdmin(shared, `drop database ${name} with (force)`),
  };
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: url.replace(/crossdock$/, "postgres") });
  await admin.connect();
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
