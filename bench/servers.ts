import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect } from "node:net";
import pg from "pg";
import { inDatabase, migrate, roleUrl, startEmbeddedPostgres } from "@crossdock/db";

export const benchSecret = "a secret for benchmarks only, 32 bytes";

export type BenchPostgres = {
  /** A new, empty database of the run's cluster. */
  database: () => Promise<{ url: string; drop: () => Promise<void> }>;
  /** A new database with Crossdock's migrations; `workerUrl` is the role that the worker uses. */
  migratedDatabase: () => Promise<{ url: string; appUrl: string; workerUrl: string; drop: () => Promise<void> }>;
  /** Writes out what earlier measurements left dirty, so that nobody pays for a predecessor. */
  settle: () => Promise<void>;
  stop: () => Promise<void>;
};

/** The embedded PostgreSQL with its usual settings (fsync and synchronous_commit on), in a temporary folder or in one that stays for the next run. */
export async function startBenchPostgres(kept: string | null = null): Promise<BenchPostgres> {
  const dir = kept ?? mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const postgres = await startEmbeddedPostgres({ dir, password: "bench", isTemporary: kept === null });
  const adminUrl = inDatabase(postgres.url, "postgres");
  let count = 0;
  const database = async (): Promise<{ url: string; drop: () => Promise<void> }> => {
    const name = `bench_${(count += 1)}`;
    if (kept === null || !existsSync(join(dir, name))) await runSql(adminUrl, `create database ${name}`);
    if (kept !== null) writeFileSync(join(dir, name), "");
    return { url: inDatabase(postgres.url, name), drop: () => runSql(adminUrl, `drop database ${name} with (force)`) };
  };
  return {
    database,
    migratedDatabase: async () => {
      const made = await database();
      await migrate(made.url, benchSecret);
      return { ...made, appUrl: roleUrl(made.url, benchSecret, "app"), workerUrl: roleUrl(made.url, benchSecret, "worker") };
    },
    settle: () => runSql(adminUrl, "checkpoint"),
    stop: postgres.stop,
  };
}

async function runSql(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Path of its socket. */
export type BenchRedis = { path: string; stop: () => Promise<void> };

/** Redis with an append-only file synced every second (BullMQ's advice), or null when this machine has no redis-server. */
export async function startBenchRedis(): Promise<BenchRedis | null> {
  if (spawnSync("redis-server", ["--version"]).error) return null;
  const dir = mkdtempSync(join(tmpdir(), "crossdock-bench-redis-"));
  const path = join(dir, "redis.sock");
  const settings = ["--port", "0", "--unixsocket", path, "--dir", dir, "--appendonly", "yes", "--appendfsync", "everysec"];
  const child = spawn("redis-server", [...settings, "--save", "", "--maxmemory-policy", "noeviction"], { stdio: "ignore" });
  await untilListening(path, () => child.exitCode !== null);
  return {
    path,
    stop: () =>
      new Promise((resolve) => {
        child.once("exit", () => {
          rmSync(dir, { recursive: true, force: true });
          resolve();
        });
        child.kill("SIGTERM");
      }),
  };
}

/** Resolves once something accepts connections on the socket; throws when its process has ended instead. */
async function untilListening(path: string, hasEnded: () => boolean): Promise<void> {
  while (!(await accepts(path))) {
    if (hasEnded()) throw new Error("redis-server ended before it accepted connections.");
    // A refused connection answers at once; there is no signal to wait on.
    await new Promise((next) => setTimeout(next, 20));
  }
}

function accepts(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
