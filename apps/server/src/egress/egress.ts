import { Agent, Pool } from "undici";
import type { AllowList } from "./addresses.ts";
import { checkAddress, checkedLookup } from "./checked-lookup.ts";
import { EgressError } from "./egress-error.ts";
import { Exchange, type EgressAnswer } from "./exchange.ts";
import type { Resolve } from "./resolve.ts";

type EgressMethod = "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
export type EgressRequest = {
  method: EgressMethod;
  url: string;
  headers: Record<string, string>;
  body: string | null;
  /** An answer whose body can't be had is given without it. */
  statusDecides?: boolean;
};

export type EgressOptions = {
  allow: AllowList;
  /** Longest time for the whole exchange: ends answers that trickle in. */
  totalTimeoutMs?: number;
  answerBytesMax?: number;
  /** Name resolution; tests replace it. */
  resolve?: Resolve;
};

export type Egress = {
  /** Sends one request and reads the whole answer. Throws EgressError; redirects are answers like any other. */
  send: (request: EgressRequest, signal?: AbortSignal) => Promise<EgressAnswer>;
  close: () => Promise<void>;
};

const bytesPerMebibyte = 1024 * 1024;

/**
 * The only way out of the server. Every connection goes to an address that was checked when it was resolved: the socket
 * connects to the checked addresses themselves, so a name that changes its answer afterwards (DNS rebinding) changes nothing.
 */
export function createEgress(options: EgressOptions): Egress {
  const { allow, totalTimeoutMs = 30_000, resolve } = options;
  const poolOptions: Pool.Options = {
    // Well above the concurrency of the targets that share one host, so that one that hangs does not use up the pool of another.
    connections: 256,
    // HTTP/2 would put all requests of an origin on one socket, where one large answer delays the others.
    allowH2: false,
    keepAliveTimeout: 10_000,
    headersTimeout: 20_000,
    // The longest silence between two parts of a body.
    bodyTimeout: 10_000,
    maxResponseSize: options.answerBytesMax ?? 2 * bytesPerMebibyte,
    maxHeaderSize: 32 * 1024,
  };
  const agent = new Agent({
    factory: (origin) =>
      new Pool(origin, { ...poolOptions, connect: { timeout: 5_000, lookup: checkedLookup(portOf(new URL(origin)), allow, resolve) } }),
  });
  return {
    send: async (request, signal) => exchange(agent, request, allow, totalTimeoutMs, signal),
    close: () => agent.destroy(),
  };
}

function exchange(
  agent: Agent,
  request: EgressRequest,
  allow: AllowList,
  totalTimeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<EgressAnswer> {
  const url = checkedUrl(request.url, allow);
  checkHeaders(request.headers);
  return new Promise((resolve, reject) => {
    const exchanged = new Exchange(resolve, reject, totalTimeoutMs, signal, request.statusDecides);
    agent.dispatch(
      {
        origin: url.origin,
        path: url.pathname + url.search,
        method: request.method,
        // Compressed answers would need a decompressor with a size cap of its own.
        headers: { "accept-encoding": "identity", "user-agent": "Crossdock", ...request.headers },
        body: request.body,
      },
      exchanged,
    );
  });
}

/** URL has already turned decimal, octal and hex forms of addresses into dotted ones. */
function checkedUrl(text: string, allow: AllowList): URL {
  if (!URL.canParse(text)) throw new EgressError("invalid-request", "The target's URL is not valid.");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw new EgressError("invalid-request", `The target's URL must begin with https: or http:, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "")
    throw new EgressError("invalid-request", "The target's URL must not carry a user name or password.");
  checkAddress(url.hostname, portOf(url), allow);
  return url;
}

/** `host` decides which of several sites at one address answers, and framing belongs to the client. */
const reservedHeaders: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "content-length",
  "transfer-encoding",
  "upgrade",
  "expect",
  "te",
  "trailer",
  "proxy-authorization",
]);

function checkHeaders(headers: Record<string, string>): void {
  for (const name of Object.keys(headers)) {
    if (reservedHeaders.has(name.toLowerCase()))
      throw new EgressError("invalid-request", `The header '${name}' is set by the client alone.`);
  }
}

function portOf(url: URL): number {
  return url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
}
