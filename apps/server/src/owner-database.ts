import { resolve } from "node:path";
import { pino } from "pino";
import { findRunningPostgres, ownerUrlOf } from "@crossdock/db";
import type { Config } from "./config.ts";
import { embeddedPassword, openInstallation, readSecret } from "./installation.ts";

/** The database as its owner, whom row-level security does not concern. */
export type OwnerDatabase = { url: string; secret: string };

/** The configured database, or the embedded one of a running server; null when that one is not running. */
export function findOwnerDatabase(config: Config): OwnerDatabase | null {
  const dir = resolve(config.dataDir);
  const place = config.databaseUrl === null ? findRunningPostgres(dir) : null;
  if (config.databaseUrl === null && place === null) return null;
  const secret = config.secret ?? readSecret(dir);
  return { secret, url: place === null ? (config.databaseUrl ?? "") : ownerUrlOf(place, embeddedPassword(secret)) };
}

/** The same, where the embedded one is started for the occasion when it is not running. */
export async function openOwnerDatabase(config: Config): Promise<OwnerDatabase & { close: () => Promise<void> }> {
  const found = findOwnerDatabase(config);
  if (found) return { ...found, close: () => Promise.resolve() };
  const { secret, ownerUrl, stop } = await openInstallation(config, pino({ level: "warn" }));
  return { secret, url: ownerUrl, close: stop };
}
