import { connect, isIP, type LookupFunction, type Socket } from "node:net";
import { isAllowedAddress, isNamed, type AllowList } from "./addresses.ts";
import { EgressError } from "./egress-error.ts";
import { resolveByNameServers, resolveBySystem, type Resolve } from "./resolve.ts";

/**
 * Resolves once and hands the socket the checked addresses. One forbidden address refuses the name: an answer that mixes both is an attack or a mistake.
 * The system is asked only for what the list names, and for this machine; `resolve` takes the place of both.
 */
export function checkedLookup(port: number, allow: AllowList, resolve?: Resolve): LookupFunction {
  const resolveOf = (host: string): Resolve =>
    host.toLowerCase() === "localhost" || isNamed(host, port, allow) ? resolveBySystem : resolveByNameServers;
  return (host, lookupOptions, done) => {
    (resolve ?? resolveOf(host))(host, (error, addresses) => {
      if (error) return done(error, []);
      const forbidden = addresses.find((found) => !isAllowedAddress(found.address, host, port, allow));
      if (forbidden) return done(refused(host, forbidden.address, allow), []);
      const [first] = addresses;
      if (!first) return done(new EgressError("name-not-found", `The name ${host} has no address.`), []);
      if (lookupOptions.all) done(null, addresses);
      else done(null, first.address, first.family);
    });
  };
}

/** Sockets skip name resolution for hosts that are addresses, so these are checked here. Throws address-refused. */
export function checkAddress(hostname: string, port: number, allow: AllowList): void {
  const address = hostname.startsWith("[") ? hostname.slice(1, -1) : hostname;
  if (isIP(address) !== 0 && !isAllowedAddress(address, hostname, port, allow)) throw refused(hostname, address, allow);
}

function refused(host: string, address: string, { setting }: AllowList): EgressError {
  const through = host === address || host === `[${address}]` ? host : `${host} (${address})`;
  return new EgressError("address-refused", `${through} is not a public address. ${setting} lists what else may be reached.`);
}

type Connection = { host: string; port: number; allow: AllowList; timeoutMs: number; resolve?: Resolve };

/** A connection for what speaks something else than HTTP, to an address checked in the same way. Throws EgressError and the system's errors. */
export async function openSocket({ host, port, allow, timeoutMs, resolve }: Connection): Promise<Socket> {
  const name = isIP(host) === 6 ? `[${host}]` : host;
  checkAddress(name, port, allow);
  const socket = connect({ host: name.startsWith("[") ? name.slice(1, -1) : name, port, lookup: checkedLookup(port, allow, resolve) });
  return new Promise((done, fail) => {
    const late = setTimeout(() => socket.destroy(new EgressError("timeout", `No connection within ${timeoutMs} ms.`)), timeoutMs);
    socket.once("error", (error) => {
      clearTimeout(late);
      fail(error);
    });
    socket.once("connect", () => {
      clearTimeout(late);
      socket.removeAllListeners("error");
      done(socket);
    });
  });
}
