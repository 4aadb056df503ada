import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { deserialize, serialize } from "node:v8";
import { emptyShelves } from "./personality.ts";
import { emptyShop } from "./shopify/shop.ts";

const emptyHeld = () => ({ shop: emptyShop(), shelves: emptyShelves() });
/** What a system holds: plain data, whose shared objects are still shared when it is read again. */
export type Held = ReturnType<typeof emptyHeld>;

/** What the systems hold, by their names. With a file it outlives the process, so that ids given out before are known after a restart. */
export class Memory {
  readonly #file: string | undefined;
  readonly #held: Map<string, Held>;
  #timer: NodeJS.Timeout | undefined;

  constructor(file?: string) {
    this.#file = file;
    this.#held = file === undefined ? new Map() : read(file);
  }

  of(name: string): Held {
    const held = this.#held.get(name) ?? emptyHeld();
    this.#held.set(name, held);
    return held;
  }

  forget(name: string): void {
    this.#held.delete(name);
  }

  /** From now on, also where it fails once; so often that a killed process forgets little, and so seldom that it takes no more than a hundredth of the time. */
  startKeeping(): void {
    if (this.#file === undefined) return;
    const startedAt = performance.now();
    this.#keep(this.#file);
    const tookMs = performance.now() - startedAt;
    this.#timer = setTimeout(() => this.startKeeping(), Math.max(60_000, 100 * tookMs)).unref();
  }

  /** With a last time. */
  stopKeeping(): void {
    clearTimeout(this.#timer);
    if (this.#file !== undefined && this.#timer !== undefined) this.#keep(this.#file);
  }

  /** Whoever reads later, also after the process was killed in between, finds the former state or this one whole. */
  #keep(file: string): void {
    try {
      if (!existsSync(dirname(file))) mkdirSync(dirname(file), { mode: 0o700 });
      writeFileSync(`${file}.new`, serialize(this.#held));
      renameSync(`${file}.new`, file);
    } catch (error) {
      console.error(`sandbox: what the systems hold can't be kept: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

/** Nothing, where there is no file or another version has written it. */
function read(file: string): Map<string, Held> {
  try {
    return deserialize(readFileSync(file)) as Map<string, Held>;
  } catch {
    return new Map();
  }
}
