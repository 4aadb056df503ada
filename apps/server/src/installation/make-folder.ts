import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/** Makes a folder with those above it, for its owner only. Node's own recursive way never ends where a folder can't hold others, as in /proc. */
export function makeFolder(dir: string): void {
  if (!existsSync(dirname(dir))) makeFolder(dirname(dir));
  try {
    mkdirSync(dir, { mode: 0o700 });
  } catch (error) {
    if (!statSync(dir, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
}

/** After it a power cut takes back no file that was made or renamed in the folder; flushing a file alone keeps its content, but not its name. */
export function flushFolder(dir: string): void {
  // Which opens no folders.
  if (process.platform === "win32") return;
  const folder = openSync(dir, "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
