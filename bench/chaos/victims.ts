import { randomBytes } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort, startEmbeddedPostgres, type PostgresPlace } from "@crossdock/db";
import { startServerProcess } from "../../apps/demo/src/processes.ts";
import { admin } from "../installation.ts";

/** A part of the system that may be killed and is started again at once, as a process manager would do. */
export type Victim = {
  name: string;
  /** Ends it with SIGKILL; resolves when it is ready again. */
  kill: () => Promise<void>;
  stop: () => Promise<void>;
};

type Battlefield = { url: string; victims: [Victim, Victim, Victim]; stop: () => Promise<void> };

/** PostgreSQL, an api process and a worker process with the scheduler, each killable for itself. */
export async function startBattlefield(sandboxUrl: string): Promise<Battlefield> {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-chaos-"));
  const apiPort = await freePort();
  let place: PostgresPlace | undefined;
  const database = await startVictim("PostgreSQL", async () => {
    const postgres = await startEmbeddedPostgres({ dir, password: "chaos", isTemporary: true, ...(place && { place }) });
    place = postgres.place;
    return { pid: postgres.pid, url: postgres.url, ended: untilGone(postgres.pid), stop: postgres.stop };
  });
  const settings = {
    DATABASE_URL: database.url(),
    CROSSDOCK_SECRET: randomBytes(32).toString("hex"),
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_LOG_LEVEL: "silent",
    CROSSDOCK_ADMIN_EMAIL: admin.email,
    CROSSDOCK_ADMIN_PASSWORD: admin.password,
    CROSSDOCK_EGRESS_ALLOW: new URL(sandboxUrl).host,
  };
  const api = await startVictim("api", () => startServer({ ...settings, CROSSDOCK_ROLES: "api", CROSSDOCK_PORT: String(apiPort) }));
  const worker = await startVictim("worker", () => startServer({ ...settings, CROSSDOCK_ROLES: "worker,scheduler" }));
  return {
    url: `http://localhost:${apiPort}`,
    victims: [worker.victim, api.victim, database.victim],
    stop: async () => {
      await api.victim.stop();
      await worker.victim.stop();
      await database.victim.stop();
    },
  };
}

/** A running process: `ended` resolves when it is gone, however it went. */
type Life = { pid: number; url: string; ended: Promise<void>; stop: () => Promise<void> };

async function startServer(settings: Record<string, string>): Promise<Life> {
  const { child, url, stop } = await startServerProcess(settings);
  return { pid: child.pid ?? 0, url, ended: new Promise((resolve) => child.once("exit", () => resolve())), stop };
}

/** Keeps a process alive: whenever it ends, also by itself because the database is away, it is started again. */
async function startVictim(name: string, start: () => Promise<Life>): Promise<{ victim: Victim; url: () => string }> {
  let life = await start();
  const state = { isStopping: false };
  let ready = Promise.resolve();
  const watch = (): void => {
    void life.ended.then(() => {
      if (!state.isStopping) ready = revive();
    });
  };
  const revive = async (): Promise<void> => {
    while (!state.isStopping) {
      try {
        life = await start();
        watch();
        return;
      } catch {
        // The database is away as well: the process manager tries again.
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  };
  watch();
  const victim: Victim = {
    name,
    kill: async () => {
      await ready;
      const { pid, ended } = life;
      try {
        process.kill(pid, "SIGKILL");
      } catch {
        // It ended by itself a moment ago.
      }
      await ended;
      // `ready` is replaced by the watcher, which heard of the end before this line.
      await ready;
    },
    stop: async () => {
      state.isStopping = true;
      await ready;
      await life.stop();
    },
  };
  return { victim, url: () => life.url };
}

/** The postmaster is no child whose exit we are told; asking for its pid is all there is. */
async function untilGone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
