import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import pg from "pg";
import { pino } from "pino";
import { findRunningPostgres, ownerUrlOf } from "@crossdock/db";
import type { Config } from "../config.ts";
import { embeddedPassword, openInstallation, readSecret, type Installation } from "./installation.ts";
import { StartError } from "./start-error.ts";

/** The configured database, or the embedded one of a running server; null when that one is not running. Makes nothing. */
export function findOwnerDatabase(config: Config): Installation | null {
  refuseNew(config);
  const dir = resolve(config.dataDir);
  const place = config.databaseUrl === null ? findRunningPostgres(dir) : null;
  if (config.databaseUrl === null && place === null) return null;
  const secret = config.secret ?? readSecret(dir);
  const ownerUrl = place === null ? (config.databaseUrl ?? "") : ownerUrlOf(place, embeddedPassword(secret));
  return { secret, ownerUrl, stop: () => Promise.resolve() };
}

/** Connected as the database's owner, whom row-level security does not concern. */
export type OwnerDatabase = { secret: string; pool: pg.Pool; close: () => Promise<void> };

/** The embedded database is started for the occasion when it is not running. */
export async function openOwnerDatabase(config: Config): Promise<OwnerDatabase> {
  const { secret, ownerUrl, stop } = findOwnerDatabase(config) ?? (await openInstallation(config, pino({ level: "warn" })));
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1 });
  // Without a listener the event would end the process: the pool has ended before its connection is closed, and PostgreSQL, which stops next,
  // may have a last word on it.
  pool.on("error", () => undefined);
  const close = async (): Promise<void> => {
    await pool.end();
    await stop();
  };
  return { secret, pool, close };
}

/** Without the server's settings a command would make an installation of its own, and work on that. */
function refuseNew({ databaseUrl, secret, dataDir }: Config): void {
  if (databaseUrl !== null && secret !== null) return;
  const file = join(resolve(dataDir), databaseUrl === null ? "data/PG_VERSION" : "secret.key");
  if (existsSync(file)) return;
  const settings = "CROSSDOCK_DATA_DIR, or DATABASE_URL and CROSSDOCK_SECRET";
  throw new StartError(`${file} is missing or closed to this user. Run this with the server's settings: ${settings}.`);
}
