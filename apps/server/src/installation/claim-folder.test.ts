import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { claimFolder } from "./claim-folder.ts";

const rounds = 300;
/** Claims one folder after the other, at moments that it is told, says which it got, and keeps them until its input ends. */
const program = `
  import { once } from "node:events";
  import { claimFolder } from ${JSON.stringify(new URL("claim-folder.ts", import.meta.url).href)};
  console.log("there");
  const start = Number(await once(process.stdin, "data"));
  const owned = [];
  for (let round = 0; round < ${rounds}; round += 1) {
    while (performance.timeOrigin + performance.now() < start + 4 * round);
    try {
      claimFolder(process.argv[1] + "/" + round);
      owned.push(round);
    } catch (error) {
      if (!error.message.startsWith("Crossdock runs already")) throw error;
    }
  }
  console.log(JSON.stringify(owned));
  process.stdin.resume();`;

test.each([
  ["a new folder", null],
  // Larger than any number of a process.
  ["a folder that a killed process left", "2147483647"],
  ["a folder whose file a power cut left without its number", "\0\0\0"],
])("of two processes that start at once, one gets %s", async (_, left) => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-claims-"));
  const folders = Array.from({ length: rounds }, (_none, round) => join(dir, String(round)));
  if (left !== null)
    for (const folder of folders) {
      mkdirSync(folder);
      writeFileSync(join(folder, "server.pid"), left);
    }
  const pair = [1, 2].map(() =>
    spawn(process.execPath, ["--input-type=module", "-e", program, dir], { stdio: ["pipe", "pipe", "inherit"] }),
  );
  await Promise.all(pair.map(({ stdout }) => once(stdout, "data")));
  const answers = pair.map(({ stdout }) => once(stdout, "data"));
  for (const { stdin } of pair) stdin.write(String(Date.now() + 20));
  const owned = (await Promise.all(answers)).map(([line]): number[] => JSON.parse(String(line)));
  for (const { stdin } of pair) stdin.end();

  expect(owned.flat().toSorted((a, b) => a - b)).toEqual([...folders.keys()]);
  for (const [index, { pid }] of pair.entries())
    for (const round of owned[index] ?? []) {
      expect(readdirSync(join(dir, String(round)))).toEqual(["server.pid"]);
      expect(readFileSync(join(dir, String(round), "server.pid"), "utf8")).toBe(String(pid));
    }
  rmSync(dir, { recursive: true });
});

test.runIf(process.platform === "linux")("another program that has the number since does not keep the folder", () => {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-claims-"));
  const other = spawn("cat", { stdio: ["pipe", "ignore", "inherit"] });
  writeFileSync(join(dir, "server.pid"), String(other.pid));

  const release = claimFolder(dir);

  expect(readFileSync(join(dir, "server.pid"), "utf8")).toBe(String(process.pid));
  release();
  other.stdin.end();
  rmSync(dir, { recursive: true });
});
