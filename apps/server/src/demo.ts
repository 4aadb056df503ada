import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { Logger } from "pino";
import { settings } from "./settings.ts";

const program = fileURLToPath(new URL("../../demo/src/main.ts", import.meta.url));

/** Deliveries wait no longer than this for the demo's systems. */
const openMsMax = 20_000;

export type Demo = {
  /** Resolves when its systems are there, or will not be. */
  opened: Promise<void>;
  stop: () => Promise<void>;
};

type DemoOptions = { url: string; token: string; sandboxPort: number; dataDir: string; logger: Logger };

/**
 * The demo is a program of its own that works through the public API like any client. The token it gets is an ordinary access token of the
 * first admin, enough to set the workspace up; data then flows with the API keys that it makes there.
 */
export function startDemo({ url, token, sandboxPort, dataDir, logger }: DemoOptions): Demo {
  if (!existsSync(program)) {
    logger.warn("the demo is not part of this installation");
    return { opened: Promise.resolve(), stop: () => Promise.resolve() };
  }
  const environment = {
    ...withoutSecrets(process.env),
    // It talks to this machine alone, also where Node.js is told to use a proxy.
    no_proxy: "*",
    CROSSDOCK_URL: url,
    CROSSDOCK_TOKEN: token,
    SANDBOX_PORT: String(sandboxPort),
    // The external ids that the database keeps are of use only as long as the systems know them.
    SANDBOX_MEMORY: join(resolve(dataDir), "sandbox"),
  };
  // A group of its own, so that Ctrl-C reaches this process first, which then stops the demo before the server it talks to. The channel's
  // one message says that the systems are there; its end tells the demo that this process is gone, however it went.
  const child = spawn(process.execPath, [program], { env: environment, stdio: ["ignore", "ignore", "inherit", "ipc"], detached: true });
  child.once("error", (error) => logger.error({ err: error }, "the demo did not start"));
  child.once("exit", (code) => {
    if (code !== null && code !== 0) logger.error({ code }, "the demo ended");
  });
  return { opened: opening(child), stop: () => end(child) };
}

async function opening(child: ChildProcess): Promise<void> {
  const isOver = sleep(openMsMax, undefined, { ref: false });
  // One that can't be started will have no systems.
  await Promise.race([once(child, "message"), once(child, "exit"), isOver]).catch(() => undefined);
}

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const secrets = new Set(Object.entries(settings).flatMap(([name, { isSecret }]) => (isSecret ? [name] : [])));
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !secrets.has(name)));
}

function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    const killer = setTimeout(() => child.kill("SIGKILL"), 3_000);
    child.once("exit", () => {
      clearTimeout(killer);
      resolve();
    });
    child.kill("SIGTERM");
  });
}
