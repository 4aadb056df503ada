import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, existsSync, linkSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Logger } from "pino";
import { startEmbeddedPostgres, type EmbeddedPostgres } from "@crossdock/db";
import { claimFolder, isRunning } from "./claim-folder.ts";
import type { Config } from "../config.ts";
import { startLoops } from "../loops.ts";
import { flushFolder, makeFolder } from "./make-folder.ts";
import { StartError, orStartError } from "./start-error.ts";

/** What belongs to the machine a process runs on: the secret, and the database when it is the embedded one. */
export type Installation = { secret: string; ownerUrl: string; stop: () => Promise<void> };

/** Reads or makes the secret, and starts the embedded database unless DATABASE_URL names another. */
export async function openInstallation(config: Config, logger: Logger): Promise<Installation> {
  const dir = resolve(config.dataDir);
  const cannotWrite = `The data folder ${dir} cannot be used. Choose another with CROSSDOCK_DATA_DIR`;
  const takeSecret = () => orStartError(cannotWrite, () => config.secret ?? readSecret(dir));
  if (config.databaseUrl !== null) {
    return { secret: await takeSecret(), ownerUrl: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const release = await orStartError(cannotWrite, () => claimFolder(dir));
  try {
    const secret = await takeSecret();
    const start = () => startSupervisedPostgres(dir, embeddedPassword(secret), logger);
    const postgres = await orStartError("The embedded PostgreSQL cannot be started", start);
    const stop = async (): Promise<void> => {
      await postgres.stop();
      release();
    };
    return { secret, ownerUrl: postgres.url, stop };
  } catch (error) {
    release();
    throw error;
  }
}

/** Of the embedded database's owner. */
export function embeddedPassword(secret: string): string {
  return createHmac("sha256", secret).update("embedded database owner").digest("hex");
}

const watchMs = 500;

/**
 * The embedded PostgreSQL, started again where it was when it ends by itself, e.g. killed for want of memory: it recovers what was
 * committed, the pools connect anew, and whoever waited for an answer gets 503 meanwhile.
 */
async function startSupervisedPostgres(dir: string, password: string, logger: Logger): Promise<{ url: string; stop: () => Promise<void> }> {
  let postgres = await startEmbeddedPostgres({ dir, password });
  const { url, place } = postgres;
  let lost: EmbeddedPostgres | null = null;
  const watch = async (signal: AbortSignal): Promise<void> => {
    if (signal.aborted || isRunning(postgres.pid)) return;
    if (lost !== postgres) logger.error({ log: postgres.log() }, "the embedded PostgreSQL ended by itself and is started again");
    lost = postgres;
    // Fails while its last children still hold the folder, or its disk is full; the next round tries again.
    postgres = await startEmbeddedPostgres({ dir, place, password, isOld: true });
  };
  const loops = startLoops([{ name: "keep the embedded PostgreSQL running", everyMs: watchMs, run: watch }], logger);
  const stop = async (): Promise<void> => {
    await loops.stop();
    await postgres.stop();
  };
  return { url, stop };
}

/** The installation's secret from its file, which is made at the first start. */
export function readSecret(dir: string): string {
  const file = join(dir, "secret.key");
  if (!existsSync(file)) {
    if (existsSync(join(dir, "data", "PG_VERSION")))
      throw new StartError(
        `${file} is missing, and no other opens the database beside it. Bring it back, or name its secret in CROSSDOCK_SECRET.`,
      );
    makeFolder(dir);
    const own = `${file}.${process.pid}`;
    // Fails when another process was faster, whose secret is then read below. A link is there with its content, whatever ends this on the way.
    try {
      writeFileSync(own, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flush: true });
      linkSync(own, file);
      flushFolder(dir);
    } catch (error) {
      if (!existsSync(file)) throw error;
    } finally {
      rmSync(own, { force: true });
    }
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 32) throw new StartError(`${file} must hold at least 32 characters.`);
  return secret;
}
