import { isIPv4 } from "node:net";
import ipaddr from "ipaddr.js";

/**
 * The network that a caller's requests are counted under: an IPv4 address by itself, an IPv6 address by its /64, which is what one line is
 * given. Empty for a caller who has hung up: the request has no address any more then, whatever its type says.
 */
export function networkOf(ip: string): string {
  if (isIPv4(ip)) return ip;
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv4 ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}

/**
 * `X-Forwarded-For` with plain addresses: some proxies, such as Azure's gateways, name the caller's port as well, or put IPv6 in brackets. Neither is
 * an address, and all callers would be counted as one.
 */
export function withoutPorts(forwardedFor: string): string {
  // Entry by entry: a pattern for all of them would be tried from each character of a long one.
  return forwardedFor
    .split(",")
    .map((entry) => entry.replace(/^(\s*)(?:\[([^\]]+)\]|(\d+(?:\.\d+){3}))(?::\d+)?(\s*)$/, "$1$2$3$4"))
    .join(",");
}
