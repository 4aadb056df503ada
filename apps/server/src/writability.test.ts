import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { expect, test } from "vitest";
import { startEmbeddedPostgres } from "@crossdock/db";
import { whyNoWrites } from "./writability.ts";

test("a database whose commits wait for a standby that is away takes no writes, until it no longer waits", async () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-"));
  const postgres = await startEmbeddedPostgres({ dir, password: "embedded", isTemporary: true });
  const pool = new pg.Pool({ connectionString: postgres.url });
  // It ends before its connections have closed, which the server's end breaks: one that is idle is told of by the pool.
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const waitFor = async (standby: string): Promise<void> => {
    await pool.query(`alter system set synchronous_standby_names = '${standby}'`);
    await pool.query("select pg_reload_conf()");
    await expect
      .poll(async () => (await pool.query("show synchronous_standby_names")).rows)
      .toEqual([{ synchronous_standby_names: standby }]);
  };
  try {
    await waitFor("away");
    expect(await whyNoWrites(pool)).toBe(null);
    const written = pool.query("create table kept ()");
    await expect.poll(() => whyNoWrites(pool), { timeout: 20_000 }).toBe("no-writes-unconfirmed");
    await waitFor("");
    await written;
    expect(await whyNoWrites(pool)).toBe(null);
  } finally {
    await pool.end();
    await postgres.stop();
  }
});
