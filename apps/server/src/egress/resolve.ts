import type { LookupAddress } from "node:dns";
import { lookup, Resolver } from "node:dns/promises";
import { codeOf } from "../errors/errors.ts";
import { EgressError } from "./egress-error.ts";

export type Resolve = (host: string, done: (error: Error | null, addresses: LookupAddress[]) => void) => void;

/** A name server that is silent is asked once more; a connection waits for five seconds. */
const patience = { timeout: 2_000, tries: 2 };

/** What the system knows: also /etc/hosts and its search domains. It waits in one of the process's few threads, however long that takes. */
export const resolveBySystem = sharing((host) => lookup(host, { all: true }));

/** What the system's name servers say, asked from sockets: one that is silent about its own names holds up no look-up of others. */
export const resolveByNameServers = resolverBy();

/** `servers`: other ones than the system's. */
export function resolverBy(servers?: readonly string[]): Resolve {
  return sharing((host) => askNameServers(host, servers));
}

/** Whoever asks for a name that is being looked up gets the same answer. */
function sharing(find: (host: string) => Promise<LookupAddress[]>): Resolve {
  const underWay = new Map<string, Promise<LookupAddress[]>>();
  return (host, done) => {
    const asked = underWay.get(host) ?? find(host).finally(() => underWay.delete(host));
    underWay.set(host, asked);
    void asked.then(
      (addresses) => done(null, addresses),
      (error: Error) => done(error, []),
    );
  };
}

const knowsNone = new Set(["ENOTFOUND", "ENODATA"]);

/** No address where none is known. Throws name-not-found where no server told. */
async function askNameServers(host: string, servers?: readonly string[]): Promise<LookupAddress[]> {
  // One for each name, as it reads the system's settings but once.
  const resolver = new Resolver(patience);
  if (servers) resolver.setServers(servers);
  const [four, six] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
  const addresses = [
    ...(four.status === "fulfilled" ? four.value.map((address) => ({ address, family: 4 })) : []),
    ...(six.status === "fulfilled" ? six.value.map((address) => ({ address, family: 6 })) : []),
  ];
  const codes = [four, six].flatMap((answer) => (answer.status === "rejected" ? [codeOf(answer.reason)] : []));
  const fault = codes.find((code) => !knowsNone.has(code));
  if (addresses.length === 0 && fault !== undefined)
    throw new EgressError("name-not-found", `No name server told the address of ${host} (${fault}).`);
  return addresses;
}
