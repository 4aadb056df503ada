import { readConfig, type Config } from "./config.ts";
import { createLogger } from "./log.ts";
import { startServer, type Server } from "./server.ts";
import { refuse } from "./installation/start-error.ts";
import { version } from "./version.ts";

async function run(): Promise<void> {
  const config = readConfig(process.env);
  const logger = createLogger(config.logLevel);
  // Nobody knows what state an uncaught error leaves behind: the server ends in order, and whoever started it starts it anew.
  const onFault = (error: unknown): void => {
    logger.fatal({ err: error }, "nobody took care of an error");
    process.exitCode = 1;
    process.kill(process.pid, "SIGTERM");
  };
  process.on("unhandledRejection", onFault);
  process.on("uncaughtException", onFault);
  const starting = startServer(config, logger);
  const stopWith = stopOnSignals(starting);
  const server = await starting;
  if (!stopWith.isStopping()) console.log(welcome(config, server));
}

/** What is sent once comes twice where npm passes on what the terminal sends as well, and more often where that is closed: all within this time. */
const echoMs = 1000;

/** The first signal stops in order, one that follows later at once. One that comes during the start is obeyed when the start is done. */
function stopOnSignals(starting: Promise<Server>): { isStopping: () => boolean } {
  let stoppingSince: number | null = null;
  const isStopping = (): boolean => stoppingSince !== null;
  const onSignal = (): void => {
    if (stoppingSince !== null) {
      if (performance.now() - stoppingSince > echoMs) process.exit(1);
      return;
    }
    stoppingSince = performance.now();
    starting
      .then((server) => server.stop())
      .then(
        () => process.exit(),
        (error: unknown) => {
          console.error("Crossdock did not stop cleanly:", error);
          process.exit(1);
        },
      );
  };
  process.on("SIGINT", onSignal);
  process.on("SIGTERM", onSignal);
  // The terminal is closed. Unheeded it would end this process at once, and leave the embedded PostgreSQL behind.
  process.on("SIGHUP", onSignal);
  whenNpmIsGone(() => isStopping() || onSignal());
  return { isStopping };
}

/** When npm is told to end, it leaves the server that it started running: then the server stops by itself. A terminal's Ctrl-C reaches both. */
function whenNpmIsGone(stop: () => void): void {
  if (process.env["npm_lifecycle_event"] === undefined) return;
  const shell = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === shell) return;
    clearInterval(watch);
    stop();
  }, 500);
  watch.unref();
}

function welcome(config: Config, { url, admin, metricsUrl }: Server): string {
  const lines = [`Crossdock ${version} is ready (${[...config.roles].join(", ")}).`];
  if (url !== null) lines.push("", `  Console   ${config.publicUrl ?? url}`, `  Sign in   ${signIn(config, admin)}`);
  if (metricsUrl !== null) lines.push("", `  Metrics   ${metricsUrl}`);
  return lines.join("\n");
}

function signIn(config: Config, admin: Server["admin"]): string {
  if (!admin) return "as one of the admins";
  if (admin.newPassword !== null) return `${admin.email}   password ${admin.newPassword}   (shown this once)`;
  // Nobody else is given the environment's password.
  const isNamed = admin.email === config.adminEmail;
  if (isNamed && config.adminPassword !== null) return `${admin.email}   with the password of CROSSDOCK_ADMIN_PASSWORD`;
  return `${admin.email}   (forgotten? start once with ${isNamed ? "" : `CROSSDOCK_ADMIN_EMAIL=${admin.email} `}CROSSDOCK_ADMIN_PASSWORD=NEW)`;
}

run().catch(refuse);
