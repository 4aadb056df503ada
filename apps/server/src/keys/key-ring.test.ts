import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { testSecret } from "@crossdock/db/testing";
import { expect, onTestFinished, test } from "vitest";
import { createDirectory } from "../intake/directory.ts";
import { addKey, createKeyRing, readKeySecrets } from "./key-ring.ts";
import { rotateCredentials } from "./rotate-keys.ts";
import { StartError } from "../installation/start-error.ts";
import { testApp } from "../testing/test-app.ts";

const [oldest, newest] = ["a".repeat(40), "c".repeat(40)];
const place = { tenantId: 1, record: "integration_point 7", field: "credentials" };
const dataFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "keys-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};
const ringOf = (...secrets: string[]) => createKeyRing(() => secrets);

test("what an older key sealed opens while that key is known, and not afterwards", () => {
  const sealed = ringOf(oldest).sealEnvelope(place, "s3cret");
  expect(ringOf(newest, oldest).openEnvelope(place, sealed)).toBe("s3cret");
  expect(() => ringOf(newest).openEnvelope(place, sealed)).toThrow("a key that is not known here");
});

test("a rotation wraps the data key anew and leaves the sealed text as it is", () => {
  const sealed = ringOf(oldest).sealEnvelope(place, "s3cret");
  const rewrapped = ringOf(newest, oldest).rewrap(place, sealed);
  expect(rewrapped?.equals(sealed)).toBe(false);
  expect(rewrapped?.subarray(-20)).toEqual(sealed.subarray(-20));
  expect(ringOf(newest).openEnvelope(place, rewrapped ?? sealed)).toBe("s3cret");
  expect(ringOf(newest, oldest).rewrap(place, rewrapped ?? sealed)).toBeNull();
});

test.each([
  ["tenant", { ...place, tenantId: 2 }],
  ["record", { ...place, record: "integration_point 8" }],
  ["field", { ...place, field: "settings" }],
])("an envelope copied to another %s does not open", (_what, elsewhere) => {
  expect(() => ringOf(oldest).openEnvelope(elsewhere, ringOf(oldest).sealEnvelope(place, "s3cret"))).toThrow("unable to authenticate");
});

test("no byte of an envelope can be changed", () => {
  const sealed = ringOf(oldest).sealEnvelope(place, "s3cret");
  for (let index = 0; index < sealed.length; index += 1) {
    const changed = Buffer.from(sealed);
    changed[index] = (changed[index] ?? 0) ^ 1;
    expect(() => ringOf(oldest).openEnvelope(place, changed)).toThrow(Error);
  }
});

test("of two values neither opens with the other's data key", () => {
  const ring = ringOf(oldest);
  const [one, two] = [ring.sealEnvelope(place, "one"), ring.sealEnvelope(place, "two")];
  // The format, the key's name and the wrapped data key of the first, the text of the second; both texts are of one length.
  const textAt = one.length - (1 + 12 + 16 + "one".length);
  expect(() => ring.openEnvelope(place, Buffer.concat([one.subarray(0, textAt), two.subarray(textAt)]))).toThrow("unable to authenticate");
});

test("a wrapped data key is no value: cut out of its envelope it does not open", () => {
  const ring = ringOf(oldest);
  const sealed = ring.sealEnvelope(place, "s3cret");
  const wrapped = sealed.subarray(1 + 4, 1 + 4 + 1 + 12 + 16 + 64);
  expect(() => ring.openEnvelope(place, wrapped)).toThrow("sealed value of unknown format");
});

test("a key made in the data folder is readable by its owner alone and comes before the older ones", () => {
  const dataDir = dataFolder();
  const sources = { configured: [], dataDir, secret: oldest };
  expect(readKeySecrets(sources)).toEqual([oldest]);
  addKey(dataDir);
  const [first] = readKeySecrets(sources);
  addKey(dataDir);
  expect(readKeySecrets(sources)).toEqual([expect.not.stringMatching(first ?? ""), first, oldest]);
  // A key that the environment names is one of many machines, and seals.
  expect(readKeySecrets({ ...sources, configured: [newest] })).toEqual([newest, ...readKeySecrets(sources)]);
  expect(statSync(join(dataDir, "credential.keys")).mode & 0o777).toBe(0o600);
});

test.runIf(process.getuid?.() === 0)("a key that root makes belongs to the server's user, by its secret or else its folder", () => {
  const dataDir = dataFolder();
  const owner = (): number => statSync(join(dataDir, "credential.keys")).uid;
  chownSync(dataDir, 1001, 1001);
  addKey(dataDir);
  expect(owner()).toBe(1001);
  // As where root runs the server, and another user PostgreSQL in its folder.
  writeFileSync(join(dataDir, "secret.key"), oldest);
  addKey(dataDir);
  expect(owner()).toBe(0);
});

test.runIf(process.getuid?.() === 0)("root makes no key where nothing tells whose it has to be", () => {
  const dataDir = join(dataFolder(), "missing");
  expect(() => addKey(dataDir)).toThrow(`${dataDir} is missing`);
  expect(existsSync(dataDir)).toBe(false);
});

test("keys that cannot be read are no keys to do without", () => {
  const dataDir = dataFolder();
  mkdirSync(join(dataDir, "credential.keys"));
  expect(() => readKeySecrets({ configured: [], dataDir, secret: oldest })).toThrow(StartError);
});

test("keys are rotated under a running server, which goes on opening credentials", async () => {
  const dataDir = dataFolder();
  const made = await testApp({ CROSSDOCK_DATA_DIR: dataDir });
  const point = {
    subtenantCode: "shop",
    connector: "centra",
    name: "Shop",
    targetTypes: ["item"],
    settings: { url: "https://shop.example" },
  };
  for (const code of ["one", "two"]) {
    await made.call("admin", "POST", "/api/v1/tenants/acme/integration-points", {
      ...point,
      code,
      credentials: { token: `token-of-${code}` },
    });
  }
  const owner = made.pool("owner", 1);
  const readSealed = async () =>
    (await owner.query<{ credentials: Buffer }>("select credentials from hub.integration_point order by id")).rows;
  const before = await readSealed();
  addKey(dataDir);
  const ring = createKeyRing(() => readKeySecrets({ configured: [], dataDir, secret: "not the installation's, but not needed either" }));
  // Without the older key nothing is lost: it is counted and left alone.
  expect(await rotateCredentials(owner, ring)).toEqual({ rewrapped: 0, kept: 0, unknown: 2 });
  expect(await readSealed()).toEqual(before);

  const directory = createDirectory(made.deps.pools.app, made.deps);
  await directory.ready;
  const tokens = async () => [...(await directory.of(1001)).points.values()].map(({ credentials }) => credentials?.["token"]);
  expect(await tokens()).toEqual(["token-of-one", "token-of-two"]);
  expect(await rotateCredentials(owner, made.deps.keys.credentials)).toMatchObject({ kept: 2 });

  // As the command does in a process of its own.
  const fresh = createKeyRing(() => readKeySecrets({ configured: [], dataDir, secret: testSecret }));
  expect(await rotateCredentials(owner, fresh)).toEqual({ rewrapped: 2, kept: 0, unknown: 0 });
  expect(await readSealed()).not.toEqual(before);
  const reread = createDirectory(made.deps.pools.app, made.deps);
  await reread.ready;
  const opened = [...(await reread.of(1001)).points.values()].map(({ credentials }) => credentials?.["token"]);
  expect(opened).toEqual(["token-of-one", "token-of-two"]);
  await directory.close();
  await reread.close();
  await made.close();
});
