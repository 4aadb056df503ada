// Set-up before every command, on any Node ≥ 20.2 and without a dependency:
// installs when the lockfile changed, builds the console when its sources changed, and for tests finds or installs Chromium.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, parse } from "node:path";
import { fileURLToPath } from "node:url";
import { findChromium } from "../e2e/chromium.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const purpose = process.argv[2] ?? "";

// The npm that came with Node 20.0 and 20.1 leaves out what is native on Linux.
const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 2)) fail(`Crossdock needs Node 20.2 or newer to set itself up, and this is ${process.version}.`);
// The build fails at the first two, npm's PATH at the third, and PostgreSQL's initdb at the others.
const odd = /[#?:"$`]/.exec(root.slice(parse(root).root.length));
if (odd) fail(`Crossdock cannot run in ${root}, for the ${odd[0]} in this path. Move it to a folder without one.`);
install();
if (purpose === "start" || purpose === "test") buildConsole();
if (purpose === "test" && !findChromium()) installChromium();

function install() {
  const stamp = join(root, "node_modules", ".crossdock-lock");
  const wanted = hash([join(root, "package-lock.json")]);
  if (read(stamp) === wanted) return;
  // The report of a Node that runs with another C library has no version of this one.
  if (process.platform === "linux" && !process.report.getReport().header.glibcVersionRuntime)
    fail(
      "Crossdock needs a Linux with glibc, such as Debian: the Node and the PostgreSQL that it brings do not run with musl, as of Alpine.",
    );
  console.log("Installing dependencies …");
  // Nothing of it is private, and PostgreSQL has to read its own as another user where root starts it.
  process.umask(0o022);
  run(
    "npm",
    ["ci", "--no-fund", "--no-audit", "--loglevel=error"],
    `The packages come from npm's registry: this machine must reach it, or a mirror that 'npm config set registry' names, and may write in ${root}.`,
  );
  writeFileSync(stamp, wanted);
}

function buildConsole() {
  const app = join(root, "apps/console");
  const stamp = join(app, "dist", ".sources");
  const contract = join(root, "packages/contract/src");
  const wanted = hash([join(root, "package-lock.json"), ...files(app), ...files(contract)]);
  if (read(stamp) === wanted) return;
  console.log("Building the console …");
  run("npm", ["run", "build", "--workspace", "@crossdock/console", "--silent", "--", "--logLevel", "warn"]);
  mkdirSync(dirname(stamp), { recursive: true });
  writeFileSync(stamp, wanted);
}

function installChromium() {
  if (!existsSync("/etc/debian_version")) {
    fail(
      "The browser tests need Chromium. Install it and name it in CROSSDOCK_CHROMIUM, for example CROSSDOCK_CHROMIUM=/usr/bin/chromium-browser npm test",
    );
  }
  console.log("Installing Chromium for the browser tests …");
  const sudo = process.getuid?.() === 0 ? [] : ["sudo", "-n"];
  for (const words of [
    ["apt-get", "update", "-qq"],
    ["apt-get", "install", "-y", "-qq", "--no-install-recommends", "chromium-headless-shell"],
  ]) {
    const [command, ...rest] = [...sudo, ...words];
    run(command, rest, "Install Chromium by hand, or name one that is there in CROSSDOCK_CHROMIUM.");
  }
}

function run(command, words, hint = "") {
  const { status, error } = spawnSync(command, words, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
  if (error?.code === "ENOENT") fail(`There is no '${command}' on the PATH. ${hint}`);
  if (status !== 0) fail(`'${command} ${words.join(" ")}' failed, for the reason above. ${hint}`);
}

function files(folder) {
  return readdirSync(folder, { recursive: true })
    .map((name) => join(folder, String(name)))
    .filter((path) => !/[\\/](node_modules|dist)([\\/]|$)/.test(path) && statSync(path).isFile())
    .sort();
}

function hash(paths) {
  const sum = createHash("sha256");
  for (const path of paths) sum.update(path.slice(root.length)).update("\0").update(readFileSync(path)).update("\0");
  return sum.digest("hex");
}

function read(path) {
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

function fail(message) {
  console.error(message);
  process.exit(1);
}
