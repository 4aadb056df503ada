import { spawn } from "node:child_process";
import { randomInt } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const admin = { email: "admin@crossdock.local", password: "a password for journeys" };

export type Crossdock = { url: string; stop: () => Promise<void> };

const program = fileURLToPath(new URL("../apps/server/src/main.ts", import.meta.url));
const readyWithinMs = 100_000;

/** Starts the server as a process of its own, on a free port, with the settings given. Throws with its output when it doesn't get ready. */
export async function startCrossdock(settings: Record<string, string>): Promise<Crossdock> {
  const dataDir = mkdtempSync(join(tmpdir(), "crossdock-e2e-"));
  const { PATH = "", HOME = "", NODE_COMPILE_CACHE = "" } = process.env;
  const child = spawn(process.execPath, [program], {
    env: {
      PATH,
      HOME,
      NODE_COMPILE_CACHE,
      CROSSDOCK_PORT: "0",
      CROSSDOCK_DATA_DIR: dataDir,
      CROSSDOCK_ADMIN_PASSWORD: admin.password,
      CROSSDOCK_LOG_LEVEL: "warn",
      ...settings,
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const exit = once(child, "exit");

  async function stop(): Promise<void> {
    child.kill("SIGTERM");
    await exit;
    rmSync(dataDir, { recursive: true, force: true });
  }

  let output = "";
  const url = await new Promise<string>((resolve, reject) => {
    const fail = (reason: string) => reject(new Error(`The server ${reason}:\n${output}`));
    const timer = setTimeout(() => fail("was not ready in time"), readyWithinMs);
    const read = (chunk: Buffer) => {
      output += chunk.toString();
      const found = /^\s*Console\s+(http\S+)/m.exec(output)?.[1];
      if (found === undefined) return;
      clearTimeout(timer);
      resolve(found);
    };
    child.stdout.on("data", read);
    child.stderr.on("data", read);
    child.once("exit", (code) => fail(`ended with code ${code}`));
  }).catch(async (error: unknown) => {
    if (child.exitCode === null) await stop();
    throw error;
  });
  return { url, stop };
}

/** A free port below those that the system hands out by itself, so that nobody else is given it while a server restarts. */
export async function findLastingPort(): Promise<number> {
  for (;;) {
    const port = randomInt(15_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once("error", () => resolve(false));
      server.listen(port, () => resolve(true));
    });
    if (!isFree) continue;
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}
