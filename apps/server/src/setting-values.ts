import { isIP } from "node:net";
import ipaddr from "ipaddr.js";
import { z } from "zod";
import { parseAllowList } from "./egress/addresses.ts";

// How the texts of settings are read.

export const Flag = z.enum(["0", "1"], { error: "must be 0 or 1" }).transform((text) => text === "1");
export const WholeNumber = (from: number, to: number) => {
  const error = `must be a whole number from ${from} to ${to}`;
  return z.string().regex(/^\d+$/, error).transform(Number).pipe(z.number().min(from, error).max(to, error));
};

/** Host and user have to stand in front: from there the roles' own connections are made. */
function isPostgresUrl(text: string): boolean {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname, hash } = new URL(text);
  // Of several hosts the driver takes the list for a name. The others are left of a password that is not encoded.
  return hostname !== "" && !hostname.includes(",") && !pathname.includes("@") && hash === "";
}

export const PostgresUrl = z
  .string()
  .refine(
    isPostgresUrl,
    "must be postgres://user:password@host:port/database, with one host; percent-encode special characters, and a socket's folder as the host",
  );

/** The console lies at the root of its host. */
export const PublicUrl = z
  .url({ protocol: /^https?$/, error: "must be an http or https URL" })
  .transform((text) => new URL(text))
  .refine(({ pathname, search, hash }) => pathname + search + hash === "/", "must be a host's address, with nothing behind it")
  .transform(({ origin }) => origin);

/** User and password are decoded only when the first mail goes. */
function isMailUrl(text: string): boolean {
  if (!/^smtps?:\/\//.test(text) || !URL.canParse(text)) return false;
  const { hostname, username, password } = new URL(text);
  try {
    decodeURIComponent(`${username}:${password}`);
    return hostname !== "";
  } catch {
    return false;
  }
}

export const MailUrl = z
  .string()
  .refine(isMailUrl, "must be smtp://host or smtps://user:password@host:port; percent-encode special characters in user and password");

export const List = z.string().transform((text) =>
  text
    .split(",")
    .map((part) => part.trim())
    .filter((part) => part !== ""),
);

export const AllowEntries = List.superRefine((entries, context) => {
  try {
    parseAllowList(entries);
  } catch (error) {
    context.addIssue(error instanceof Error ? error.message : "must be hosts or networks");
  }
});

const isNetwork = (text: string): boolean => isIP(text) !== 0 || ipaddr.isValidCIDR(text);
export const Networks = List.pipe(z.array(z.string().refine(isNetwork, "must be addresses or networks, such as 10.0.0.0/8")));

export const OtlpHeaders = List.transform((pairs, context) => {
  const headers: Record<string, string> = {};
  for (const pair of pairs) {
    const [name = "", ...value] = pair.split("=");
    try {
      headers[name.trim()] = decodeURIComponent(value.join("=").trim());
    } catch {
      context.addIssue("must be name=value, values percent-encoded");
    }
    if (!/^[\w-]+$/.test(name.trim()) || value.length === 0) context.addIssue("must be name=value, values percent-encoded");
  }
  return headers;
});
