import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { signIn, type Client } from "../apps/demo/src/client.ts";
import { startSandboxProcess, startServerProcess } from "../apps/demo/src/processes.ts";
import { sandboxSystem, type SandboxSystem } from "../apps/demo/src/sandbox-client.ts";
import { cpuTimeOf } from "./cpu-time.ts";

export const admin = { email: "bench@example.com", password: "only for this bench" };

export type Installation = {
  client: Client;
  sandboxUrl: string;
  /** CPU time of its parts and of the caller until now, in µs; null where the system does not tell. */
  cpuTimes: () => Record<"server" | "PostgreSQL" | "sandbox" | "load generator", number> | null;
  stop: () => Promise<void>;
};

/** A server with all roles in one process, its embedded PostgreSQL and a sandbox in another, all in a temporary folder. */
export async function startInstallation(): Promise<Installation> {
  const dir = mkdtempSync(join(tmpdir(), "crossdock-bench-"));
  const sandbox = await startSandboxProcess();
  const server = await startServerProcess({
    CROSSDOCK_PORT: "0",
    CROSSDOCK_DATA_DIR: dir,
    CROSSDOCK_DEMO: "0",
    CROSSDOCK_ADMIN_EMAIL: admin.email,
    CROSSDOCK_ADMIN_PASSWORD: admin.password,
    CROSSDOCK_EGRESS_ALLOW: new URL(sandbox.url).host,
    CROSSDOCK_LOG_LEVEL: "error",
  });
  return {
    client: await signIn(server.url, admin.email, admin.password),
    sandboxUrl: sandbox.url,
    cpuTimes: () => {
      const [ofServer, ofSandbox] = [cpuTimeOf(server.child.pid ?? 0), cpuTimeOf(sandbox.child.pid ?? 0)];
      const { user, system } = process.cpuUsage();
      // PostgreSQL is all that the server starts.
      return ofServer && ofSandbox
        ? { server: ofServer.own, PostgreSQL: ofServer.descendants, sandbox: ofSandbox.own, "load generator": user + system }
        : null;
    },
    stop: async () => {
      await server.stop();
      await sandbox.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** A tenant whose orders come in by webhook or gateway and go out to one system of the sandbox. */
export type Lane = { tenantCode: string; hookUrl: string; pushUrl: string; key: string; system: SandboxSystem };

export async function makeLane(client: Client, sandboxUrl: string, tenantCode: string): Promise<Lane> {
  const params = { tenantCode };
  const entityTypes = ["order" as const];
  const point = { subtenantCode: "main" };
  await client.call("createTenant", { body: { code: tenantCode, name: tenantCode } });
  await client.call("createSubtenant", { params, body: { code: "main", name: "Main" } });
  const from = { ...point, connector: "litium" as const, code: "source", name: "Source", sourceTypes: entityTypes };
  const source = await client.call("createIntegrationPoint", { params, body: from });
  const settings = { url: `${sandboxUrl}/generic/${tenantCode}`, deliver: { order: { method: "PUT", path: "/order/{key}" } } };
  const retry = { maxAttempts: 50, baseDelayMs: 500, maxDelayMs: 5_000 };
  const to = {
    ...point,
    connector: "magento" as const,
    code: "target",
    name: "Target",
    targetTypes: entityTypes,
    settings,
    retry,
    concurrency: 32,
  };
  await client.call("createIntegrationPoint", { params, body: to });
  const { key } = await client.call("createApiKey", { params, body: { name: "Source", role: "gateway" } });
  return {
    tenantCode,
    hookUrl: `${client.url}/hooks/${source.hookId}`,
    pushUrl: `${client.url}/litium/v1/orders?subtenant=main&integrationPoint=source`,
    key,
    system: sandboxSystem(sandboxUrl, tenantCode),
  };
}

/** An order of about 1 KB. */
export function makeOrder(orderNumber: string, version: number): string {
  const lines = Array.from({ length: 4 }, (_, index) => ({
    lineNumber: String(index + 1),
    sku: `NH-${10_000 + index}`,
    description: "Alva table lamp, oak, sage green, with a shade of linen",
    quantity: "1",
    unitPrice: { amount: "499.00", currency: "SEK" },
  }));
  const orderedAt = new Date(Date.UTC(2020, 0, 1) + version * 1000).toISOString();
  return JSON.stringify({
    orderNumber,
    orderedAt,
    updatedAt: orderedAt,
    currency: "SEK",
    customer: { customerNumber: "100" },
    note: String(version),
    lines,
  });
}
