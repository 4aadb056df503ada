import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { codeOf } from "../errors/errors.ts";
import { makeFolder } from "./make-folder.ts";
import { StartError } from "./start-error.ts";

/**
 * One process at a time owns the folder: a second one would take the first one's database for a left-over and stop it. Returns what gives it
 * back; throws StartError when another process has it.
 */
export function claimFolder(dir: string): () => void {
  makeFolder(dir);
  const file = join(dir, "server.pid");
  const own = `${file}.${process.pid}`;
  try {
    writeFileSync(own, String(process.pid), { mode: 0o600 });
    // A link is there with its content, and of processes that start at once one alone makes it.
    while (!unless("EEXIST", () => linkSync(own, file))) unless("ENOENT", () => removeLeftOver(dir, file));
  } finally {
    rmSync(own, { force: true });
  }
  return () => rmSync(file, { force: true });
}

function removeLeftOver(dir: string, file: string): void {
  const pid = readFileSync(file, "utf8");
  if (isRunning(Number(pid)) && !isAnotherProgram(pid))
    throw new StartError(
      `Crossdock runs already with the folder ${dir} (process ${pid}). If that process is another program, remove ${file}.`,
    );
  const aside = `${file}.${process.pid}.old`;
  renameSync(file, aside);
  // Another process may have removed it since and claimed the folder: then this is its claim.
  if (readFileSync(aside, "utf8") === pid) rmSync(aside);
  else renameSync(aside, file);
}

/** Whether `step` was done; false when the file system said `code`. */
function unless(code: "EEXIST" | "ENOENT", step: () => void): boolean {
  try {
    step();
    return true;
  } catch (error) {
    if (codeOf(error) !== code) throw error;
    return false;
  }
}

/**
 * Whether what has the number since is no Node.js, as often after the machine's, or a container's, new start. What has ended and was not yet
 * waited for has no command line. Only Linux tells; elsewhere false.
 */
function isAnotherProgram(pid: string): boolean {
  try {
    const [command = ""] = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
    return basename(command) !== basename(process.execPath);
  } catch {
    return false;
  }
}

/** Another process with this number. */
export function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}
