import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test, vi } from "vitest";
import { findRunningPostgres, ownerUrlOf, startEmbeddedPostgres } from "./embedded.ts";

/** A folder that PostgreSQL's user may pass, too. */
function makeRoot(): string {
  const root = mkdtempSync(join(tmpdir(), "crossdock-"));
  chmodSync(root, 0o755);
  return root;
}

/** What a connection to the cluster in `dir` is told of its own way there, and the folder's files, while it runs. */
async function lookAt(dir: string): Promise<{ address: string | null; listens: string; files: string[]; mode: number }> {
  const postgres = await startEmbeddedPostgres({ dir, password: "embedded" });
  try {
    const found = findRunningPostgres(dir);
    expect(found && ownerUrlOf(found, "embedded")).toBe(postgres.url);
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    const { rows } = await client.query("select inet_server_addr() as address, current_setting('listen_addresses') as listens");
    await client.end();
    return { ...rows[0], files: readdirSync(dir), mode: statSync(dir).mode & 0o777 };
  } finally {
    await postgres.stop();
    expect(findRunningPostgres(dir)).toBe(null);
  }
}

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test("PostgreSQL listens on a socket in its folder, which nobody else may enter, and on no port, whatever a killed start has left", async () => {
  const root = makeRoot();
  const dir = join(root, `a "folder", with é`);
  // As an earlier start leaves it that was killed while it made the cluster.
  mkdirSync(join(dir, "new-left", "data"), { recursive: true });
  writeFileSync(join(dir, "new-left", "data", "PG_VERSION"), "18");
  const { files, ...way } = await lookAt(dir);
  expect(files.filter((name) => name.startsWith("new-"))).toEqual([]);
  expect(way).toEqual({ address: null, listens: "", mode: 0o700 });
  expect(files).toContain(".s.PGSQL.5432");
  rmSync(root, { recursive: true });
});

test("it starts where the environment asks for TLS, which is meant for another server", async () => {
  const root = makeRoot();
  vi.stubEnv("PGSSLMODE", "require");
  try {
    expect((await lookAt(root)).address).toBe(null);
  } finally {
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  }
});

test.runIf(process.platform === "linux")("its processes have none of the secrets in the environment", async () => {
  const root = makeRoot();
  vi.stubEnv("CROSSDOCK_SECRET", "a secret for this process alone");
  const postgres = await startEmbeddedPostgres({ dir: root, password: "embedded" });
  try {
    const told = readFileSync(`/proc/${postgres.pid}/environ`, "utf8");
    expect(told).toContain("PATH=");
    expect(told).not.toContain("a secret for this process alone");
  } finally {
    await postgres.stop();
    vi.unstubAllEnvs();
    rmSync(root, { recursive: true });
  }
});

test("what the initdb of a killed start wrote after the next one had removed its folder is gone with the start after that", async () => {
  const root = makeRoot();
  await lookAt(root);
  mkdirSync(join(root, "new-left", "data"), { recursive: true });
  const { files } = await lookAt(root);
  expect(files.filter((name) => name.startsWith("new-"))).toEqual([]);
  rmSync(root, { recursive: true });
});

test("in a folder whose path is too long for a socket it listens on loopback", async () => {
  const root = makeRoot();
  const { files, ...way } = await lookAt(join(root, "long".repeat(25)));
  expect(way).toEqual({ address: "127.0.0.1", listens: "127.0.0.1", mode: 0o700 });
  expect(files).not.toContain(".s.PGSQL.5432");
  rmSync(root, { recursive: true });
});

test.runIf(process.platform !== "win32")("one for a while ends with a signal to who started it, and its folder goes", async () => {
  const dir = makeRoot();
  const options = JSON.stringify({ dir, password: "embedded", isTemporary: true });
  const program = `import { startEmbeddedPostgres } from "./embedded.ts"; console.log((await startEmbeddedPostgres(${options})).pid)`;
  const starter = spawn(process.execPath, ["--input-type=module", "-e", program], { cwd: import.meta.dirname });
  const [pid] = await once(starter.stdout, "data");
  starter.kill("SIGTERM");
  expect(await once(starter, "exit")).toEqual([143, null]);
  expect(existsSync(dir)).toBe(false);
  await expect.poll(() => isThere(Number(pid))).toBe(false);
});

test.runIf(process.platform === "linux")(
  "a program that has the number of a killed PostgreSQL since is left alone, and no hindrance",
  async () => {
    const root = makeRoot();
    const dir = join(root, "embedded");
    await lookAt(dir);
    const { uid, gid } = statSync(join(dir, "data"));
    const other = spawn("sleep", ["600"], { cwd: "/", ...(process.getuid?.() === 0 ? { uid, gid } : {}) });
    const left = join(dir, "data", "postmaster.pid");
    writeFileSync(left, `${other.pid}\n${join(dir, "data")}\n1795885200\n5432\n${dir}\n\n  1 1\nready\n`, { mode: 0o600 });
    chownSync(left, uid, gid);
    await lookAt(dir);
    expect(other.signalCode).toBe(null);
    other.kill();
    await once(other, "exit");
    expect(other.signalCode).toBe("SIGTERM");
    rmSync(root, { recursive: true });
  },
);

test("a folder in the place of the database is left as it is, and told how to make room", async () => {
  const root = makeRoot();
  mkdirSync(join(root, "data", "lost+found"), { recursive: true });
  await expect(startEmbeddedPostgres({ dir: root, password: "embedded" })).rejects.toThrow(`A volume belongs at ${root}`);
  expect(readdirSync(root)).toEqual(["data"]);
  expect(readdirSync(join(root, "data"))).toEqual(["lost+found"]);
  rmSync(root, { recursive: true });
});

test.runIf(process.getuid?.() === 0)("root takes no folder from the user whose data is in it", async () => {
  const root = makeRoot();
  const dir = join(root, "installation");
  await lookAt(dir);
  const [data, uid] = [join(dir, "data"), 1001];
  for (const name of readdirSync(data, { recursive: true, encoding: "utf8" })) chownSync(join(data, name), uid, uid);
  chownSync(data, uid, uid);
  const { address } = await lookAt(dir);
  expect(address).toBe(null);
  expect([dir, data].map((path) => statSync(path).uid)).toEqual([uid, uid]);
  rmSync(root, { recursive: true });
});
