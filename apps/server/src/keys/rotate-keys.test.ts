import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import type pg from "pg";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openCredentials, sealCredentials } from "./credentials.ts";
import { createKeyRing, readKeySecrets, type KeyRing } from "./key-ring.ts";
import { rotateCredentials } from "./rotate-keys.ts";
import { waitingForLocks } from "../testing/test-app.ts";

const newest = "c".repeat(40);
const ringOf = (...secrets: string[]): KeyRing => createKeyRing(() => secrets);

let database: TestDatabase;
let owner: pg.Pool;
beforeEach(async () => {
  database = await testDatabase();
  owner = database.pool("owner", 4);
  await owner.query("insert into hub.tenant (id, code, name) values (1, 'one', 'One'), (2, 'two', 'Two')");
  await owner.query("insert into hub.subtenant (tenant_id, id, code, name) values (1, 11, 'shop', 'Shop'), (2, 12, 'shop', 'Shop')");
});
afterEach(() => database.drop());

type Place = { tenantId: number; integrationPointId: number };

async function addPoint(place: Place, token: string, ring = ringOf(testSecret)): Promise<void> {
  const { tenantId, integrationPointId: id } = place;
  await owner.query(
    `insert into hub.integration_point
       (tenant_id, id, subtenant_id, connector, code, name, environment, delivery_mode, source_types, target_types, retry, credentials)
     values ($1, $2, $3, 'centra', $4, 'Point', 'production', 'push', '{}', '{item}', '{}', $5)`,
    [tenantId, id, tenantId + 10, `point-${id}`, sealCredentials(ring, place, { token })],
  );
}

async function tokenOf(place: Place, ring: KeyRing): Promise<unknown> {
  const { rows } = await owner.query<{ credentials: Buffer }>(
    "select credentials from hub.integration_point where tenant_id = $1 and id = $2",
    [place.tenantId, place.integrationPointId],
  );
  return openCredentials(ring, place, rows[0]?.credentials ?? null)?.["token"];
}

test("of every tenant all credentials are rotated, however many there are", async () => {
  // The ids of the second tenant are lower, and each tenant has more than are read at a time.
  const places = Array.from({ length: 101 }, (_, index) => [
    { tenantId: 1, integrationPointId: 1001 + index },
    { tenantId: 2, integrationPointId: 1 + index },
  ]).flat();
  for (const place of places) await addPoint(place, `token ${place.integrationPointId}`);
  expect(await rotateCredentials(owner, ringOf(newest, testSecret))).toEqual({ rewrapped: 202, kept: 0, unknown: 0 });
  for (const place of places) expect(await tokenOf(place, ringOf(newest))).toBe(`token ${place.integrationPointId}`);
});

test("credentials that somebody changes during the rotation are neither put back nor left with the old key", async () => {
  const place = { tenantId: 1, integrationPointId: 7 };
  await addPoint(place, "before");
  const somebody = await owner.connect();
  await somebody.query("begin");
  await somebody.query("update hub.integration_point set credentials = $1", [
    sealCredentials(ringOf(testSecret), place, { token: "after" }),
  ]);
  const rotated = rotateCredentials(owner, ringOf(newest, testSecret));
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  await somebody.query("commit");
  somebody.release();
  expect(await rotated).toEqual({ rewrapped: 1, kept: 0, unknown: 0 });
  expect(await tokenOf(place, ringOf(newest))).toBe("after");
});

/** Runs the command as a process of its own, on a data folder that goes with the call. */
async function runCommand(settings: Record<string, string> = {}) {
  const root = mkdtempSync(join(tmpdir(), "rotate-"));
  // Nobody has made it, as where the environment names database and secret; for root, the server's user has to.
  const dataDir = join(root, "data");
  if (process.getuid?.() === 0) mkdirSync(dataDir);
  try {
    const env = { ...process.env, DATABASE_URL: database.ownerUrl, CROSSDOCK_SECRET: testSecret, CROSSDOCK_DATA_DIR: dataDir, ...settings };
    const command = spawn(process.execPath, [fileURLToPath(new URL("rotate-keys.ts", import.meta.url))], {
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [said, [exitCode]] = await Promise.all([text(command.stdout), once(command, "exit")]);
    const secrets = readKeySecrets({ configured: [], dataDir, secret: testSecret });
    return { said, exitCode, secrets, hasKeyFile: existsSync(join(dataDir, "credential.keys")) };
  } finally {
    rmSync(root, { recursive: true });
  }
}

test("the command makes a key, which opens all credentials from then on", async () => {
  const place = { tenantId: 1, integrationPointId: 7 };
  await addPoint(place, "s3cret");
  const { said, exitCode, secrets } = await runCommand();
  expect([exitCode, said]).toEqual([0, expect.stringContaining("1 wrapped anew, 0 had it already, 0 sealed")]);
  expect(said).toMatch(/Copy \S+credential\.keys to every other machine/);
  expect(await tokenOf(place, ringOf(secrets[0] ?? ""))).toBe("s3cret");
  expect(await tokenOf(place, ringOf(testSecret))).toBeUndefined();
});

test("where the environment names the keys, the command makes none, which other machines would not know", async () => {
  const place = { tenantId: 1, integrationPointId: 7 };
  await addPoint(place, "s3cret");
  expect(await runCommand({ CROSSDOCK_CREDENTIAL_KEYS: newest })).toMatchObject({ exitCode: 0, hasKeyFile: false });
  expect(await tokenOf(place, ringOf(newest))).toBe("s3cret");
});

test("a rotation that could not open something fails, so that nobody takes the old key away", async () => {
  await addPoint({ tenantId: 1, integrationPointId: 7 }, "s3cret", ringOf("a".repeat(40)));
  expect(await runCommand()).toMatchObject({ exitCode: 1, said: expect.stringContaining("1 sealed with a key that is not known here") });
});

test("while one rotation is under way a second one is refused, which would keep the first one's key out of the file", async () => {
  const place = { tenantId: 1, integrationPointId: 7 };
  await addPoint(place, "s3cret");
  const somebody = await owner.connect();
  await somebody.query("begin");
  await somebody.query("update hub.integration_point set name = 'Held'");
  const first = runCommand();
  await expect.poll(() => waitingForLocks(owner), { timeout: 10_000 }).toBe(1);
  expect(await runCommand()).toMatchObject({ exitCode: 1, hasKeyFile: false });
  await somebody.query("commit");
  somebody.release();
  const { exitCode, secrets } = await first;
  expect(exitCode).toBe(0);
  expect(await tokenOf(place, ringOf(secrets[0] ?? ""))).toBe("s3cret");
});
