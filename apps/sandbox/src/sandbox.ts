import { type IncomingMessage, type Server, type ServerResponse, createServer } from "node:http";
import { json, send } from "./answer.ts";
import { type Behaviour, readBehaviour } from "./behaviour.ts";
import { control } from "./control.ts";
import type { Counts, Ledger, Receipt, ReceiptFilter } from "./ledger.ts";
import { Memory } from "./memory.ts";
import { isPlace, play } from "./play.ts";
import { Systems } from "./systems.ts";
import type { Tokens } from "./tokens.ts";

export type Sandbox = {
  url: string;
  port: number;
  close(): Promise<void>;
  /** Changes how a system answers; what is not named goes back to usual. Throws TypeError for values that are not allowed. */
  control(system: string, behaviour: Partial<Behaviour>): void;
  counts(system: string): Counts;
  received(system: string, filter?: ReceiptFilter): Receipt[];
  duplicates(system: string): ReturnType<Ledger["duplicates"]>;
  /** How many access tokens the system has given out; `revoke` makes them worthless. */
  tokens(system: string): Pick<Tokens, "issued" | "revoke">;
  /** How many objects of each kind the system holds. */
  stored(system: string): Record<string, number>;
  /** The objects of one kind, as the system holds them. */
  objects(system: string, kind: string): Record<string, unknown>[];
  /** Resolves as soon as the system has received so many requests in all. */
  whenReceived(system: string, count: number): Promise<void>;
  /** Resolves when the system leaves a request without an answer. */
  whenHanging(system: string): Promise<void>;
  /** Forgets receipts, behaviour and, for a shop, its goods and orders. */
  reset(system: string): void;
};

/** Bodies beyond this are answered 413; a system that takes everything would hide a runaway sender. */
const bodyBytesMax = 32 * 1024 * 1024;

type SandboxOptions = {
  port?: number;
  /** File that what the systems hold outlives this process in. */
  memoryFile?: string | undefined;
};

/** Starts the sandbox on the loopback address; port 0 takes a free one. Throws when the port is in use. */
export async function startSandbox({ port = 0, memoryFile }: SandboxOptions = {}): Promise<Sandbox> {
  const memory = new Memory(memoryFile);
  const systems = new Systems(memory);
  const server = createServer((request, response) => serve(systems, request, response));
  // Hanging on purpose must not end because of our own patience.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;

  const actualPort = await listen(server, port);
  memory.startKeeping();
  return {
    url: `http://127.0.0.1:${actualPort}`,
    port: actualPort,
    async close() {
      await close(server);
      memory.stopKeeping();
    },
    control(system, change) {
      const behaviour = readBehaviour(change);
      if (typeof behaviour === "string") throw new TypeError(behaviour);
      systems.get(system).behaviour = behaviour;
    },
    counts: (system) => systems.get(system).ledger.counts(),
    received: (system, filter) => systems.get(system).ledger.receipts(filter),
    duplicates: (system) => systems.get(system).ledger.duplicates(),
    tokens: (system) => systems.get(system).tokens,
    stored: (name) => {
      const { shelves, shop } = systems.get(name);
      return { ...shelves.counts(), ...shop.counts() };
    },
    objects: (system, kind) => systems.get(system).shelves.list(kind),
    whenReceived: (system, count) => systems.get(system).ledger.whenReceived(count),
    whenHanging: (system) => new Promise((resolve) => systems.get(system).onHang.add(resolve)),
    reset: (system) => systems.forget(system),
  };
}

function serve(systems: Systems, request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  let size = 0;
  request.on("data", (chunk: Buffer) => {
    size += chunk.length;
    if (size <= bodyBytesMax) chunks.push(chunk);
  });
  request.on("end", () => {
    if (size > bodyBytesMax) return send(response, json(413, { error: "too large" }));
    const [, place = "", name = "", ...rest] = (request.url ?? "/").split("?", 1)[0]?.split("/") ?? [];
    const body = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
    if (place === "_control" || place === "_received") return send(response, control(systems, request, place, name, body));
    if (!isPlace(place) || name === "") return send(response, json(404, { error: "no such system" }));
    return play(systems.get(name), request, response, place, rest, body);
  });
  // A sender that goes away mid-request has nothing to be told.
  request.on("error", () => response.destroy());
}

async function listen(server: Server, port: number): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", resolve);
  await promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("the sandbox has no address");
  return address.port;
}

async function close(server: Server): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  server.close(() => resolve());
  server.closeAllConnections();
  await promise;
}
