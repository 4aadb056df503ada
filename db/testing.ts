import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";
import { inDatabase } from "./embedded.ts";
import { roleUrl, type Role } from "./migrate.ts";
import { testSecret } from "./testing-cluster.ts";

export { testSecret } from "./testing-cluster.ts";

export type TestDatabase = {
  ownerUrl: string;
  appUrl: string;
  workerUrl: string;
  /** A pool of connections as the given role, which the server may know by a name; `drop` ends it. */
  pool: (role: "owner" | Role, size: number, applicationName?: string) => pg.Pool;
  /** Ends the pools and drops the database, whatever is still connected to it. */
  drop: () => Promise<void>;
};

/** A fresh, migrated database of the test's own, on the run's real PostgreSQL. */
export async function testDatabase(): Promise<TestDatabase> {
  const shared = inject("ownerUrl");
  const name = `test_${randomBytes(6).toString("hex")}`;
  await asAdmin(shared, `create database ${name} template template_crossdock`);
  const ownerUrl = inDatabase(shared, name);
  const urls = { owner: ownerUrl, app: roleUrl(ownerUrl, testSecret, "app"), worker: roleUrl(ownerUrl, testSecret, "worker") };
  const pools: pg.Pool[] = [];
  return {
    ownerUrl,
    appUrl: urls.app,
    workerUrl: urls.worker,
    pool(role, size, applicationName = "test") {
      const pool = createPool({ connectionString: urls[role], max: size, application_name: applicationName });
      pools.push(pool);
      return pool;
    },
    async drop() {
      await Promise.all(pools.filter((pool) => !pool.ending).map((pool) => pool.end()));
      await asAdmin(shared, `drop database ${name} with (force)`);
    },
  };
}

/** A pool ends before its connections have closed, and dropping the database breaks those; without listeners that would end the run. */
function createPool(config: pg.PoolConfig): pg.Pool {
  const pool = new pg.Pool(config);
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  return pool;
}

async function asAdmin(url: string, sql: string): Promise<void> {
  const admin = new pg.Client({ connectionString: inDatabase(url, "postgres") });
  await admin.connect();
  try {
    await admin.query(sql);
  } finally {
    await admin.end();
  }
}
