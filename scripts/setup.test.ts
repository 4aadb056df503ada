import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "crossdock-setup-"));
  for (const script of ["scripts/setup.mjs", "e2e/chromium.mjs"]) {
    mkdirSync(dirname(join(root, script)));
    copyFileSync(join(import.meta.dirname, "..", script), join(root, script));
  }
  writeFileSync(join(root, "package-lock.json"), "{}");
});
afterEach(() => rmSync(root, { recursive: true }));

function setUp(path: string, cwd = root): { status: number | null; said: string } {
  const { status, stderr } = spawnSync(process.execPath, ["scripts/setup.mjs"], { cwd, env: { PATH: path }, encoding: "utf8" });
  return { status, said: stderr };
}

test("a machine without npm is told so", () => {
  expect(setUp(root)).toEqual({ status: 1, said: expect.stringContaining("There is no 'npm' on the PATH.") });
});

test.for(["c#", "a:b", "$x"])("a folder in whose path the tools stumble is named before anything is installed: %s", (name) => {
  const folder = join(root, name);
  for (const part of ["scripts", "e2e"]) cpSync(join(root, part), join(folder, part), { recursive: true });
  expect(setUp(root, folder)).toEqual({ status: 1, said: expect.stringContaining(`for the ${name.replace(/\w/g, "")} in this path`) });
});

test("an install that fails names what it needs, and is tried again at the next start", () => {
  const npm = join(root, "npm");
  writeFileSync(npm, "#!/bin/sh\nexit 1\n", { mode: 0o755 });
  const failure = { status: 1, said: expect.stringContaining("must reach it") };
  const path = [root, dirname(process.execPath), "/bin", "/usr/bin"].join(":");
  expect([setUp(path), setUp(path)]).toEqual([failure, failure]);
});

test.for([
  ["Node 20.2 or newer", `"versions", { value: { ...process.versions, node: "20.1.0" } }`],
  ["a Linux with glibc", `"report", { value: { getReport: () => ({ header: {} }) } }`],
])("a Node that can't install or run all of it is told that it needs %s", ([need, trait]) => {
  const other = `data:text/javascript,Object.defineProperty(process, ${trait})`;
  const options = { cwd: root, env: { PATH: root }, encoding: "utf8" } as const;
  const { status, stderr } = spawnSync(process.execPath, ["--import", other, "scripts/setup.mjs"], options);
  expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining(`needs ${need}`) });
});

test("a strict umask does not close what is installed to the user as whom PostgreSQL runs", () => {
  writeFileSync(join(root, "npm"), "#!/bin/sh\numask >&2\nexit 1\n", { mode: 0o755 });
  const before = process.umask(0o077);
  try {
    expect(setUp([root, "/bin", "/usr/bin"].join(":")).said).toMatch(/^0*22\n/);
  } finally {
    process.umask(before);
  }
});

test("npm's settings of the machine keep nothing out that is needed, and skip no set-up", () => {
  const userconfig = join(root, "npmrc");
  writeFileSync(userconfig, "ignore-scripts=true\nengine-strict=true\nomit[]=dev\nomit[]=optional\n");
  const { stdout } = spawnSync("npm", ["config", "list", "--json"], {
    cwd: join(import.meta.dirname, ".."),
    env: { PATH: process.env["PATH"], NODE_ENV: "production", npm_config_userconfig: userconfig },
    encoding: "utf8",
  });
  expect(JSON.parse(stdout)).toMatchObject({ include: ["dev", "optional"], "ignore-scripts": false, "engine-strict": false });
});

test("the lockfile has what is native for every platform, and not only for the one it was written on", () => {
  type Entry = { optionalDependencies?: Record<string, string> };
  const lockfile = JSON.parse(readFileSync(join(import.meta.dirname, "../package-lock.json"), "utf8")) as {
    packages: Record<string, Entry>;
  };
  const wanted = Object.values(lockfile.packages).flatMap((entry) => Object.keys(entry.optionalDependencies ?? {}));
  // Tailwind's for WebAssembly would come to every machine, and none needs it.
  const missing = wanted.filter((name) => !name.endsWith("-wasm32-wasi") && !(`node_modules/${name}` in lockfile.packages));
  expect(missing).toEqual([]);
});
