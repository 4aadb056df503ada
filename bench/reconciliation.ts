import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { z } from "zod";
import type { Client } from "../apps/demo/src/client.ts";
import { type Installation, startInstallation } from "./installation.ts";
import { type Row, ownRow } from "./report.ts";

const bench = "reconciliation";
const params = { tenantCode: "compared" };
/** Of each kind: changed by hand, lost, made by hand. */
const plantedEach = 100;
const itemCount = 10_972;

type Item = { sku: string; name: string };

const Wines = z.array(z.object({ Varenummer: z.union([z.number(), z.string()]).transform(String), Varenavn: z.string() }));

/** Real products where the data is at hand (`CROSSDOCK_DATA`, by default ../shared/data), made-up ones elsewhere. */
function readItems(): { items: Item[]; from: string } {
  const file = join(process.env["CROSSDOCK_DATA"] ?? "../shared/data", "catalogue/vinmonopolet/dataset-vinmonopolet.json.gz");
  if (!existsSync(file)) {
    const items = Array.from({ length: itemCount }, (_, index) => ({ sku: String(10_000 + index), name: `Wine ${index}` }));
    return { items, from: "generated" };
  }
  const wines = Wines.parse(JSON.parse(gunzipSync(readFileSync(file)).toString()));
  return { items: wines.map(({ Varenummer: sku, Varenavn: name }) => ({ sku, name: name.trim() })), from: "Vinmonopolet" };
}

/** A catalogue is delivered to a store, differences are planted there by hand, and the reconciliation must list exactly those. */
export async function benchReconciliation(say: (line: string) => void): Promise<Row[]> {
  const installation = await startInstallation();
  try {
    const { client } = installation;
    const { items, from } = readItems();
    const { source, store } = await makePoints(installation);
    say(`${items.length} items (${from}): delivering them`);
    await deliver(client, source, items);
    const planted = await plant(`${installation.sandboxUrl}/magento/compared`, items);
    say(`${planted.size} differences planted: comparing`);
    const begun = performance.now();
    const run = await ended(client, "reconciliation", store);
    const seconds = (performance.now() - begun) / 1000;
    if (run.state !== "done" || run.done !== items.length) throw new Error(`${run.state}: ${run.done} compared; ${run.fault ?? ""}`);
    const found = await differencesOf(client, run.id);
    const wrong = [...new Set([...found.keys(), ...planted.keys()])].filter((key) => found.get(key) !== planted.get(key));
    const size = `${items.length.toLocaleString("en")} items, ${planted.size} planted`;
    return [
      ownRow(bench, `${size}: differences found`, found.size, "", { atLeast: planted.size, atMost: planted.size }),
      ownRow(bench, "listed wrongly, or not", wrong.length, "", { atMost: 0 }),
      ownRow(bench, "whole comparison", seconds, "s", { atMost: 60 }),
    ];
  } finally {
    await installation.stop();
  }
}

async function makePoints({ client, sandboxUrl }: Installation): Promise<{ source: number; store: number }> {
  await client.call("createTenant", { body: { code: "compared", name: "Compared" } });
  await client.call("createSubtenant", { params, body: { code: "main", name: "Main" } });
  const point = { subtenantCode: "main" };
  const pim = { ...point, connector: "wgr" as const, code: "pim", name: "PIM", sourceTypes: ["item" as const] };
  const source = await client.call("createIntegrationPoint", { params, body: pim });
  const settings = { baseUrl: `${sandboxUrl}/magento/compared` };
  const to = {
    ...point,
    connector: "magento" as const,
    code: "store",
    name: "Store",
    targetTypes: ["item" as const],
    settings,
    concurrency: 32,
  };
  const store = await client.call("createIntegrationPoint", { params, body: { ...to, credentials: { accessToken: "opensesame" } } });
  return { source: source.id, store: store.id };
}

async function deliver(client: Client, source: number, items: readonly Item[]): Promise<void> {
  const body = { integrationPointId: source, entityType: "item" as const, name: "items.ndjson", format: "ndjson" as const };
  const { id: runId } = await client.call("createImport", { params, body });
  let number = 0;
  for (let at = 0; at < items.length; at += 1_000) {
    number += 1;
    const text = items.slice(at, at + 1_000).map((item) => `${JSON.stringify(item)}\n`);
    await client.call("putImportPart", { params: { ...params, runId, number }, body: { text: text.join("") } });
  }
  await client.call("startImport", { params: { ...params, runId }, body: { parts: number, rows: items.length } });
  await until(async () => {
    const run = await client.call("getRun", { params: { ...params, runId } });
    if (run.state === "failed" || run.rejected > 0) throw new Error(`${run.rejected} items were rejected; ${run.fault ?? ""}`);
    const { items: queues } = await client.call("listQueues", { params, query: {} });
    return run.state === "done" && queues.every(({ depth }) => depth.ready + depth.inHand + depth.retrying === 0);
  });
}

/** What was planted: key → kind. */
async function plant(store: string, items: readonly Item[]): Promise<Map<string, string>> {
  const planted = new Map<string, string>();
  const step = Math.floor(items.length / (plantedEach * 2));
  const write = async (method: string, sku: string, name?: string): Promise<void> => {
    const answer = await fetch(`${store}/rest/default/V1/products/${encodeURIComponent(sku)}`, {
      method,
      headers: { authorization: "Bearer opensesame" },
      body: name === undefined ? null : JSON.stringify({ product: { sku, name } }),
    });
    if (!answer.ok) throw new Error(`the store answered ${answer.status}`);
    await answer.arrayBuffer();
  };
  for (let each = 0; each < plantedEach; each += 1) {
    const [changed, lost] = [items[each * 2 * step], items[(each * 2 + 1) * step]];
    if (!changed || !lost) throw new Error("too few items");
    await write("PUT", changed.sku, `${changed.name} (changed)`);
    await write("DELETE", lost.sku);
    await write("PUT", `HAND-${each}`, "Made by hand");
    planted.set(changed.sku, "differing").set(lost.sku, "missing").set(`HAND-${each}`, "extra");
  }
  return planted;
}

async function ended(client: Client, kind: "reconciliation", integrationPointId: number) {
  const { id } = await client.call("createRun", { params, body: { kind, integrationPointId, entityType: "item" } });
  const path = { ...params, runId: id };
  await until(async () => (await client.call("getRun", { params: path })).finishedAt !== null, 100);
  return client.call("getRun", { params: path });
}

async function differencesOf(client: Client, runId: number): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  let cursor: string | null = null;
  do {
    const query: { limit: number; cursor?: string } = { limit: 500, ...(cursor !== null && { cursor }) };
    const page: { items: { key: string; kind: string }[]; nextCursor: string | null } = await client.call("listDifferences", {
      params: { ...params, runId },
      query,
    });
    for (const { key, kind } of page.items) found.set(key, kind);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return found;
}

async function until(isSo: () => Promise<boolean>, everyMs = 1_000): Promise<void> {
  while (!(await isSo())) await new Promise((resolve) => setTimeout(resolve, everyMs));
}
