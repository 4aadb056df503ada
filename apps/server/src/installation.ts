import { createHmac, randomBytes } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { startEmbeddedPostgres } from "@crossdock/db";
import type { Config } from "./config.ts";

/** What belongs to the machine a process runs on: the secret, and the database when it is the embedded one. */
export type Installation = { secret: string; ownerUrl: string; stop: () => Promise<void> };

/** Reads or makes the secret, and starts the embedded database unless DATABASE_URL names another. */
export async function openInstallation(config: Config): Promise<Installation> {
  const dir = resolve(config.dataDir);
  if (config.databaseUrl !== null) {
    return { secret: config.secret ?? readSecret(dir), ownerUrl: config.databaseUrl, stop: () => Promise.resolve() };
  }
  const release = claimFolder(dir);
  try {
    const secret = config.secret ?? readSecret(dir);
    const password = createHmac("sha256", secret).update("embedded database owner").digest("hex");
    const postgres = await startEmbeddedPostgres({ dir, port: 0, password });
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

function readSecret(dir: string): string {
  const file = join(dir, "secret.key");
  if (!existsSync(file)) {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    // Fails when another process was faster, whose secret is then read below.
    try {
      writeFileSync(file, `${randomBytes(32).toString("hex")}\n`, { mode: 0o600, flag: "wx" });
    } catch (error) {
      if (!existsSync(file)) throw error;
    }
  }
  chmodSync(file, 0o600);
  const secret = readFileSync(file, "utf8").trim();
  if (secret.length < 32) throw new Error(`${file} must hold at least 32 characters.`);
  return secret;
}

/** One process at a time owns the folder: a second one would take the first one's database for a left-over and stop it. */
function claimFolder(dir: string): () => void {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const file = join(dir, "server.pid");
  if (existsSync(file)) {
    const pid = Number(readFileSync(file, "utf8"));
    if (isRunning(pid))
      throw new Error(
        `Crossdock runs already with the folder ${dir} (process ${pid}). If that process is another program, remove ${file}.`,
      );
  }
  writeFileSync(file, String(process.pid), { mode: 0o600 });
  return () => rmSync(file, { force: true });
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
