import ipaddr from "ipaddr.js";

/**
 * The network that a caller's requests are counted under: an IPv4 address by itself, an IPv6 address by its /64, which is what one line is
 * given. Empty for a caller who has hung up: the request has no address any more then, whatever its type says.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv4 ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}
