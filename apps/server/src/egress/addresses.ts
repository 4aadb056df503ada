import ipaddr from "ipaddr.js";

/** What an installation lets its own calls reach besides the public internet. */
export type AllowList = {
  /** Where it is told, for the words of a refusal. */
  setting: AllowSetting;
  /** `host` or `host:port` in lower case, as URLs name them; whatever the name resolves to is allowed. */
  hosts: ReadonlySet<string>;
  ranges: readonly Range[];
};

type AllowSetting = "CROSSDOCK_EGRESS_ALLOW" | "CROSSDOCK_SERVICE_ALLOW";
type Range = [ipaddr.IPv4 | ipaddr.IPv6, number];

/** Public by number, but answered by the cloud's own host agent: Azure's wire server. */
const hostAgents = new Set(["168.63.129.16"]);

/** Global unicast is the only part of IPv6 that is routed on the internet (RFC 4291, section 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR("2000::/3");

/**
 * Reads an allow list: each entry a host, `host:port` (`[v6]:port`) or a CIDR range.
 * Throws a sentence naming the entry that is none of them.
 */
export function parseAllowList(entries: readonly string[], setting: AllowSetting = "CROSSDOCK_EGRESS_ALLOW"): AllowList {
  const hosts = new Set<string>();
  const ranges: Range[] = [];
  for (const entry of entries) {
    const host = /^(?<name>[a-z0-9._-]+|\[[0-9a-f:.]+\])(?<port>:\d{1,5})?$/i.exec(entry)?.groups;
    if (ipaddr.isValidCIDR(entry)) ranges.push(ipaddr.parseCIDR(entry));
    else if (host && URL.canParse(`http://${entry}`)) hosts.add(new URL(`http://${host.name}`).hostname + (host.port ?? ""));
    else throw new Error(`'${entry}' is neither a host, nor host:port, nor a network`);
  }
  return { setting, hosts, ranges };
}

/** Whether the list names this host, rather than a network that it is in. */
export function isNamed(host: string, port: number, { hosts }: AllowList): boolean {
  const name = host.toLowerCase();
  return hosts.has(name) || hosts.has(`${name}:${port}`);
}

/** Whether a connection to `address`, one of the addresses of `host`, may be opened. */
export function isAllowedAddress(address: string, host: string, port: number, allow: AllowList): boolean {
  if (isNamed(host, port, allow)) return true;
  if (!ipaddr.isValid(address)) return false;
  // `process` turns IPv4-mapped IPv6 into the IPv4 address that the kernel would really connect to.
  const parsed = ipaddr.process(address);
  if (isPublic(parsed)) return true;
  return allow.ranges.some(([network, bits]) => network.kind() === parsed.kind() && parsed.match(network, bits));
}

function isPublic(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== "unicast" || hostAgents.has(address.toString())) return false;
  // Outside 2000::/3 lie forms that embed an IPv4 address (::127.0.0.1) and space nobody has been given.
  return address instanceof ipaddr.IPv4 || address.match(globalUnicast);
}
