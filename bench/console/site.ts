import { createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publishStream, type NewMessage } from "@crossdock/queue";
import pg from "pg";
import { readConsoleFiles } from "../../apps/server/src/console/files.ts";
import { signIn } from "../../apps/demo/src/client.ts";
import { startServerProcess } from "../../apps/demo/src/processes.ts";
import { admin } from "../installation.ts";
import { benchSecret, startBenchPostgres } from "../servers.ts";

export const tenantCode = "bench";
const subtenantCode = "main";
const systems = ["magento", "litium", "optimizely", "centra"] as const;
const entityTypes = ["item", "price", "stock", "order"] as const;

type Site = { serverUrl: string; stop: () => Promise<void> };

/** A server over its own database with one tenant, sixteen queues and `messageCount` messages in them. Nothing is delivered, so nothing moves. */
export async function startSite(messageCount: number): Promise<Site> {
  const postgres = await startBenchPostgres();
  const database = await postgres.migratedDatabase();
  const api = await startApi(database.url);
  const stop = async (): Promise<void> => {
    await api.stop();
    await postgres.stop();
  };
  try {
    await fill(api.serverUrl, database, messageCount);
    return { serverUrl: api.serverUrl, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A server process that answers the console over a database which somebody else fills. */
export async function startApi(databaseUrl: string): Promise<Site> {
  const dataDir = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const server = await startServerProcess({
    CROSSDOCK_PORT: "0",
    CROSSDOCK_ROLES: "api",
    CROSSDOCK_DATA_DIR: dataDir,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_ADMIN_EMAIL: admin.email,
    CROSSDOCK_ADMIN_PASSWORD: admin.password,
    CROSSDOCK_SECRET: benchSecret,
    CROSSDOCK_RATE_LIMIT: "1000000",
    CROSSDOCK_LOG_LEVEL: "error",
    DATABASE_URL: databaseUrl,
  });
  return {
    serverUrl: server.url,
    stop: async () => {
      await server.stop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

async function fill(serverUrl: string, database: { url: string; workerUrl: string }, messageCount: number): Promise<void> {
  const worker = new pg.Pool({ connectionString: database.workerUrl, max: 4 });
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  try {
    const queues = await makeQueues(serverUrl);
    const { rows } = await owner.query<{ tenantId: number; id: number }>('select tenant_id as "tenantId", id from hub.subtenant');
    const [subtenant] = rows;
    if (subtenant === undefined) throw new Error("the subtenant of the bench is missing");
    await publishStream(worker, makeMessages(queues, subtenant, messageCount), { batchSize: 2000 });
    await owner.query("vacuum analyze");
  } finally {
    await Promise.all([worker.end(), owner.end()]);
  }
}

type QueueOf = { id: number; entityType: string };

async function makeQueues(url: string): Promise<QueueOf[]> {
  const client = await signIn(url, admin.email, admin.password);
  const params = { tenantCode };
  await client.call("createTenant", { body: { code: tenantCode, name: "Nordhem" } });
  await client.call("createSubtenant", { params, body: { code: subtenantCode, name: "Main shop" } });
  for (const connector of systems) {
    const name = `${connector[0]?.toUpperCase()}${connector.slice(1)} of the main shop`;
    const body = { subtenantCode, connector, code: connector, name, targetTypes: [...entityTypes] };
    await client.call("createIntegrationPoint", { params, body: { ...body, settings: { url: "http://127.0.0.1:9" } } });
  }
  const { items } = await client.call("listQueues", { params });
  return items.map(({ id, entityType }) => ({ id, entityType }));
}

type SubtenantOf = { tenantId: number; id: number };

async function* makeMessages(queues: QueueOf[], subtenant: SubtenantOf, count: number): AsyncGenerator<NewMessage> {
  for (let n = 0; n < count; n += 1) {
    const queue = queues[n % queues.length];
    if (queue === undefined) throw new Error("the tenant of the bench has no queues");
    yield {
      tenantId: subtenant.tenantId,
      queueId: queue.id,
      subtenantId: subtenant.id,
      key: `SKU-${n}`,
      entityType: queue.entityType,
      source: "litium",
      document: JSON.stringify({ sku: `SKU-${n}`, name: `Table lamp ${n}`, brand: "Nordhem", barcode: String(2_000_000_000_000 + n) }),
    };
  }
}

export type Front = { url: string; stop: () => Promise<void> };

/**
 * One built page at an address of its own. Console and peers are served by the same code, as the server serves the console (from memory,
 * gzip), and what isn't a file of theirs is the server's: so the way to data is the same for everybody.
 */
export async function startFront(folder: string, serverUrl: string): Promise<Front> {
  const files = readConsoleFiles(folder, "Development");
  const server = createServer((incoming, answer) => {
    const path = new URL(incoming.url ?? "/", serverUrl).pathname;
    if (path.startsWith("/api/") || path === "/readyz") return passOn(serverUrl, incoming, answer);
    const file = files.get(path) ?? files.get("/index.html");
    if (file === undefined) throw new Error(`${folder} holds no index.html`);
    answer.writeHead(200, {
      "content-type": file.contentType,
      "cache-control": file.isHashed ? "public, max-age=31536000, immutable" : "no-cache",
      ...(file.gzip() !== file.body && { "content-encoding": "gzip" }),
    });
    return answer.end(file.gzip());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function passOn(serverUrl: string, incoming: IncomingMessage, answer: ServerResponse): void {
  const { method, headers } = incoming;
  const onward = request(new URL(incoming.url ?? "/", serverUrl), { method: method ?? "GET", headers }, (response) => {
    answer.writeHead(response.statusCode ?? 502, response.headers);
    response.pipe(answer);
  });
  onward.on("error", () => answer.destroy());
  answer.on("close", () => onward.destroy());
  incoming.pipe(onward);
}
