import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { FastifyInstance } from "fastify";
import type { Logger } from "pino";
import { migrate, roleUrl } from "@crossdock/db";
import { signAccessToken } from "./access/access-token.ts";
import { startAlertWorkers } from "./alerts/chores.ts";
import { startAppParts } from "./app-parts.ts";
import { createApp } from "./app.ts";
import { clockChore } from "./clocks.ts";
import type { Config } from "./config.ts";
import { closePools, createPools, verifyRole, verifySettings } from "./db.ts";
import { startDelivery } from "./delivery/delivery.ts";
import { startDemo, type Demo } from "./demo.ts";
import type { MetricsListener } from "./prometheus/listener.ts";
import { startRunWorkers } from "./run-workers.ts";
import { createKeys, type Deps } from "./deps.ts";
import { openInstallation } from "./installation/installation.ts";
import { jobChores } from "./jobs/chores.ts";
import { startLoops } from "./loops.ts";
import { metricChores } from "./metrics/chores.ts";
import { startScheduler } from "./scheduler/scheduler.ts";
import { ensureFirstAdmin, type FirstAdmin } from "./session/first-admin.ts";
import { createSession } from "./session/sessions.ts";
import { findUserById } from "./session/users.ts";
import { orCannotListen, orStartError } from "./installation/start-error.ts";

export type Server = {
  /** Null for a process without the role api. */
  url: string | null;
  /** Null for a process without the role api, and where no admin is active. */
  admin: FirstAdmin | null;
  /** Null without CROSSDOCK_METRICS_PORT. */
  metricsUrl: string | null;
  /** Ends everything in an order in which nothing is lost; deliveries in flight finish or go back to their queues. */
  stop: () => Promise<void>;
};

/** Starts what the configuration asks of this process. When a step fails, what had been started is stopped again. */
export async function startServer(config: Config, logger: Logger): Promise<Server> {
  // What has been started, to be stopped from the last to the first.
  const started: Part[] = [];
  let metrics: MetricsListener | null = null;
  /** Balancers that probe `/readyz` see that the process stops before it answers nobody any more. */
  let drain: (() => Promise<void>) | null = null;
  const stop = async (): Promise<void> => {
    for (let part = started.pop(); part; part = started.pop()) {
      // The others have to stop all the same: what they hold would be cut off, and the embedded PostgreSQL left behind.
      await part.stop().catch((error: unknown) => logger.error({ err: error }, "a part did not stop cleanly"));
    }
  };
  const place = { host: config.host, port: config.port, settings: "CROSSDOCK" } as const;
  if (config.roles.has("api")) await orCannotListen(place, () => checkPort(config));
  try {
    const installation = await openInstallation(config, logger);
    started.push(installation);
    const { secret, ownerUrl } = installation;
    await orStartError("The database cannot be used", () => migrate(ownerUrl, secret));
    const appUrl = config.databaseAppUrl ?? roleUrl(ownerUrl, secret, "app");
    const workerUrl = config.databaseWorkerUrl ?? roleUrl(ownerUrl, secret, "worker");
    const pools = createPools({ appUrl, workerUrl, size: config.databasePoolSize, logger });
    started.push({ stop: () => closePools(pools) });
    await orStartError("The database does not let the server's roles in", () =>
      Promise.all([verifyRole(pools.app), verifyRole(pools.worker), verifySettings(pools.readOnly)]),
    );
    // Loaded only where it is asked for.
    const meter = config.metricsPort === null ? null : (await import("./prometheus/process-meter.ts")).createMeter(pools);
    const { endpoint } = config.otel;
    const tracing = endpoint === null ? null : (await import("./otel/tracing.ts")).startTracing(config, endpoint, logger);
    if (tracing) started.push(tracing);
    started.push(startLoops([clockChore(pools.app)], logger));
    const deps: Deps = { config, pools, logger, keys: createKeys(secret, config), meter, tracing };
    if (config.metricsPort !== null && meter) {
      const { startMetricsListener } = await import("./prometheus/listener.ts");
      const metricsPlace = { host: config.metricsHost, port: config.metricsPort, settings: "CROSSDOCK_METRICS" } as const;
      metrics = await orCannotListen(metricsPlace, () => startMetricsListener(deps, metricsPlace.port, meter));
      started.push(metrics);
    }
    let url: string | null = null;
    let admin: FirstAdmin | null = null;
    if (config.roles.has("api")) {
      // Of a process without the role nobody learns the password that it makes.
      admin = await ensureFirstAdmin(pools.app, config.adminEmail, config.adminPassword);
      const parts = await startAppParts(deps);
      started.push(parts);
      const app = await createApp(deps, parts);
      started.push({ stop: () => app.close() });
      url = await orCannotListen(place, () => listen(app, config));
      drain = async () => {
        app.tellStopping();
        await sleep(config.stopDelayMs);
      };
    }
    // Its systems are there before the first delivery to them, and until the last one has ended.
    const demo = config.isDemo && !config.isUnderMaintenance && url !== null && admin ? await startDemoAs(admin, deps, url) : null;
    if (demo) started.push(demo);
    if (config.roles.has("worker")) started.push(demo ? startAfter(demo.opened, () => startDelivery(deps)) : await startDelivery(deps));
    if (config.roles.has("scheduler")) {
      const runWorkers = await startRunWorkers(deps);
      const alertWorkers = startAlertWorkers(deps);
      const chores = [...jobChores(deps, runWorkers), ...metricChores(deps), ...alertWorkers.chores, ...runWorkers.chores];
      started.push(runWorkers, alertWorkers, startScheduler(deps, chores));
    }
    metrics?.tellReady();
    const stopInOrder = async (): Promise<void> => {
      metrics?.tellStopping();
      await drain?.();
      await stop();
    };
    return { url, admin, metricsUrl: metrics?.url ?? null, stop: stopInOrder };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Part = { stop: () => Promise<void> };

/** Starts a part later, and not at all once it is to be stopped. */
function startAfter(ready: Promise<void>, start: () => Promise<Part>): Part {
  let starting: Promise<Part> | null = null;
  let isStopped = false;
  void ready.then(() => {
    if (!isStopped) starting = start();
  });
  return {
    stop: async () => {
      isStopped = true;
      await (await starting)?.stop();
    },
  };
}

/** The demo signs in as the first admin. */
async function startDemoAs({ userId }: FirstAdmin, { config, pools, keys, logger }: Deps, url: string): Promise<Demo> {
  const passwordHash = (await findUserById(pools.app, userId))?.passwordHash ?? null;
  const session = await createSession(pools.app, { userId, passwordHash, isRemembered: false, userAgent: "demo", address: null });
  if (!session) throw new Error("the demo got no session");
  const token = await signAccessToken(keys.accessToken, session);
  return startDemo({ url, token, sandboxPort: config.demoPort, dataDir: config.dataDir, logger });
}

/** Refuses a port in use before anything is started for it. */
async function checkPort({ port, host }: Config): Promise<void> {
  const trial = createServer();
  try {
    trial.listen(port, host);
    await once(trial, "listening");
  } finally {
    trial.close();
  }
}

/** Listens and returns the address as people type it. */
async function listen(app: FastifyInstance, config: Config): Promise<string> {
  await app.listen({ port: config.port, host: config.host });
  const address = app.server.address();
  const port = typeof address === "object" && address ? address.port : config.port;
  const isLocal = ["127.0.0.1", "0.0.0.0", "::", "::1", "localhost"].includes(config.host);
  return `http://${isLocal ? "localhost" : config.host}:${port}`;
}
