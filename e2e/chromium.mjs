import { existsSync } from "node:fs";

/** Debian's. The shell is Chromium without the parts of a window: opening a screen costs half the processor time. */
const places = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

/** @returns {string | undefined} The program for the browser tests: the one that CROSSDOCK_CHROMIUM names, or Debian's where it is installed. */
export function findChromium() {
  return process.env["CROSSDOCK_CHROMIUM"] || places.find((place) => existsSync(place));
}
