import { z } from "zod";
import { reasons } from "@crossdock/contract";

/** Parts of settings and credentials that many systems share. Titles and descriptions become labels and help of the console's form. */
export const BaseUrl = z.url({ protocol: /^https?$/ }).max(500);

export const Currency = z.string().regex(/^[A-Z]{3}$/, reasons["currency-form"]);

/** Goes into a header, so nothing that could end one. */
export const Secret = z.string().regex(/^[\x20-\x7e]{1,4000}$/, reasons["printable-ascii"]);

/** `base` and `path` with one slash between them. */
export function at(base: string, path: string): string {
  return `${base.replace(/\/+$/, "")}/${path.replace(/^\/+/, "")}`;
}
