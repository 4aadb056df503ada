import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import pino from "pino";
import { expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { openInstallation, readSecret } from "./installation.ts";

test("a database that ends by itself is started again, and one whose folder has gone is waited for and not made anew", async () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  const [data, elsewhere] = [join(dir, "data"), join(dir, "elsewhere")];
  const lines: string[] = [];
  const installation = await openInstallation(
    readConfig({ CROSSDOCK_DATA_DIR: dir }),
    pino({}, { write: (line) => void lines.push(line) }),
  );
  await ask(installation.ownerUrl, "create table kept ()");

  renameSync(data, elsewhere);
  process.kill(Number(readFileSync(join(elsewhere, "postmaster.pid"), "utf8").split("\n")[0]), "SIGKILL");
  await expect.poll(() => lines.join("")).toContain(`The database's folder ${data} is gone.`);
  expect(existsSync(data)).toBe(false);

  renameSync(elsewhere, data);
  await expect.poll(() => ask(installation.ownerUrl, "select from kept").catch(() => null)).toEqual([]);
  await installation.stop();
  rmSync(dir, { recursive: true });
});

test("beside a database that was restored without its secret no other is made, which would pass for it", async () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
  mkdirSync(join(dir, "data"));
  writeFileSync(join(dir, "data", "PG_VERSION"), "18\n");
  const opened = openInstallation(readConfig({ CROSSDOCK_DATA_DIR: dir }), pino({ level: "silent" }));
  await expect(opened).rejects.toThrow(`${join(dir, "secret.key")} is missing, and no other opens the database beside it`);
  expect(readdirSync(dir)).toEqual(["data"]);
  rmSync(dir, { recursive: true });
});

test.skipIf(process.platform === "win32")(
  "a disk that is full at the first start leaves no secret without its text, which would refuse every later start",
  () => {
    const dir = mkdtempSync(join(tmpdir(), "crossdock-data-"));
    const read = `import(${JSON.stringify(new URL("./installation.ts", import.meta.url).href)}).then((all) => all.readSecret(${JSON.stringify(dir)}))`;
    // Files may be made, and nothing be written to them.
    const { stderr } = spawnSync("sh", ["-c", 'ulimit -f 0; exec "$0" -e "$1"', process.execPath, read], { encoding: "utf8" });
    expect(stderr).toContain("EFBIG");
    expect(readdirSync(dir)).toEqual([]);
    expect(readSecret(dir)).toHaveLength(64);
    rmSync(dir, { recursive: true });
  },
);

async function ask(connectionString: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return (await client.query(text)).rows;
  } finally {
    await client.end();
  }
}
