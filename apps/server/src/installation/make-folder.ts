import { existsSync, mkdirSync, statSync } from "node:fs";
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
