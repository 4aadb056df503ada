import { z } from "zod";
import { reasons } from "./reasons.ts";

/** Where the server calls a system. Everybody who may read sees it, so a sign-in stands among the credentials, never in it; egress would refuse it, too. */
export const HttpAddress = z.url({ protocol: /^https?$/ }).refine((text) => {
  const url = URL.parse(text);
  return !url?.username && !url?.password;
}, reasons["address-sign-in"]);
