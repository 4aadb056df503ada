import ipaddr from "ipaddr.js";

/**
 * By what requests are counted: IPv4 addresses each by itself, IPv6 by the network of 64 bits that one line is given. Empty for a caller
 * who has hung up already and has no address any more, whatever its type says.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return "";
  const address = ipaddr.process(ip);
  return address instanceof ipaddr.IPv4 ? address.toString() : address.toByteArray().slice(0, 8).join(".");
}
