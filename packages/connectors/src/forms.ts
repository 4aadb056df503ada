import { z } from "zod";
import { HttpAddress, reasons } from "@crossdock/contract";

/** Parts of settings and credentials that many systems share. Titles and descriptions become labels and help of the console's form. */
export const BaseUrl = HttpAddress.max(500);

export const Currency = z.string().regex(/^[A-Z]{3}$/, reasons["currency-form"]);

/** Systems that take a bare number, with tax or without as the shop is set up. */
export const PriceReading = z.enum(["as-they-come", "with-tax", "without-tax"]).default("as-they-come").meta({
  title: "Prices in the shop",
  description: "Whether they include tax there. A price that says otherwise is turned by its tax rate, and refused without one",
});

/** Goes into a header, so nothing that could end one. */
export const Secret = z.string().regex(/^[\x20-\x7e]{1,4000}$/, reasons["printable-ascii"]);

/** A path that would lead somewhere else than it says. */
export class PathFault extends Error {}

/**
 * `base` and `path` with one slash between them. Throws PathFault where a part of the path is dots alone, which is what URL parsers resolve, be they
 * encoded or not.
 */
export function at(base: string, path: string): string {
  const [place = ""] = path.split("?", 1);
  if (place.split("/").some((part) => part === "." || part === "..")) throw new PathFault("a key of dots alone can't stand in a path");
  return `${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}
