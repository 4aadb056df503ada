import { totalmem } from "node:os";

/** Bytes of memory that this process may use: of the machine, or of its container where that has less. */
export function memoryBytes(): number {
  // Nothing limits the process: 0, or more than there is.
  return Math.min(totalmem(), process.constrainedMemory() || Infinity);
}
