import { get, type IncomingMessage } from "node:http";
import { once } from "node:events";
import { claim, fillSearch, publish, settle } from "@crossdock/queue";
import pg from "pg";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { parseCsv } from "./csv.ts";
import { inTenant } from "../db.ts";
import { createPoint } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";

/** Every list's export, by one mechanism: what holds of one holds of all, and the messages have the most to show. */

const base = "/api/v1/tenants/acme";
/** More than two pages, and more than the sockets between a server and a reader who doesn't read take. */
const total = 2_500;
const filler = "x".repeat(6_000);

let made: TestApp;
let address: string;
let queueId = 0;

beforeAll(async () => {
  made = await testApp();
  address = await made.app.listen({ port: 0, host: "127.0.0.1" });
  const integrationPointId = await createPoint(made, "acme");
  const sql = "select id from queue.queue where target_id = $1 and name = 'centra.order'";
  const { rows } = await made.pool("owner", 1).query<{ id: number }>(sql, [integrationPointId]);
  queueId = rows[0]?.id ?? 0;
  const messages = Array.from({ length: total }, (_, index) => ({
    tenantId: 1001,
    queueId,
    subtenantId: 1101,
    entityType: "order",
    key: index === 0 ? '=HYPERLINK("http://x")' : `o-${index}`,
    document: JSON.stringify({ orderNumber: `o-${index}`, email: `buyer-${index}@example.com`, filler }),
  }));
  await inTenant(made.deps.pools.app, 1001, async (client) => {
    await publish(client, messages);
    const leases = await claim(client, { tenantId: 1001, queueId, max: 5, leaseSeconds: 60 });
    for (const { leaseToken } of leases) {
      const attempt = { durationMs: 5, error: { class: "http-422", message: "refused" } };
      await settle(client, { tenantId: 1001, leaseToken, outcome: { kind: "dead", attempt } });
    }
  });
  while ((await fillSearch(made.deps.pools.worker, 1000)) > 0);
  await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", { schemaVersion: 1, sku: "lamp", name: "Lamp" });
  await made.call("user", "POST", "/centra/v1/items?tenant=acme&subtenant=shop", { sku: "wrong" });
  const csv = "integrationPoint,entityType,key,externalId\nqueues,order,o-1,+1\nqueues,order,o-2,2";
  await made.call("user", "POST", `${base}/external-items/import`, { csv });
}, 60_000);
afterAll(() => made.close());

type Row = Record<string, unknown> & { id: string | number };

async function listed(path: string): Promise<Row[]> {
  const rows: Row[] = [];
  const isWhole = path.endsWith("/subtenants");
  const paged = isWhole ? path : `${path}${path.includes("?") ? "&" : "?"}limit=500`;
  for (let cursor: string | null = ""; cursor !== null;) {
    const answer = await made.call("admin", "GET", `${paged}${cursor && `&cursor=${cursor}`}`);
    const page: { items: Row[]; nextCursor?: string | null } = answer.json();
    rows.push(...page.items);
    cursor = page.nextCursor ?? null;
  }
  return rows;
}

const exportPath = (path: string): string => path.replace(/(\?|$)/, "/export$1");

async function exported(path: string, query: Record<string, string>, account: "admin" | "user" | "viewer" = "viewer") {
  const more = new URLSearchParams(query).toString();
  return made.call(account, "GET", `${exportPath(path)}${path.includes("?") ? "&" : "?"}${more}`);
}

const lines = (body: string): Row[] =>
  body
    .split("\n")
    .slice(0, -1)
    .map((line): Row => JSON.parse(line));

test.each([
  [`${base}/messages`, total],
  [`${base}/messages?state=dead&key=o-1`, 1],
  [`${base}/messages?attemptsMin=1`, 5],
  [`${base}/messages?payload=${encodeURIComponent('$.orderNumber = "o-7"')}`, 1],
  [`${base}/dead-letters`, 5],
  [`${base}/retry-queue`, 0],
  [`${base}/external-messages`, 2],
  [`${base}/external-messages?state=rejected`, 1],
  [`${base}/external-items`, 2],
  [`${base}/entities?entityType=item`, 1],
  [`${base}/mappings`, 0],
  [`${base}/runs`, 0],
  [`${base}/subtenants`, 1],
  ["/api/v1/users", 4],
  ["/api/v1/mails", 0],
])("the export of %s has exactly the rows of the list", async (path, count) => {
  const rows = await listed(path);
  expect(rows).toHaveLength(count);
  const answer = await exported(path, { format: "ndjson" }, "admin");
  expect(answer.statusCode).toBe(200);
  expect(lines(answer.body)).toEqual(rows);
  const csv = await exported(path, { format: "csv" }, "admin");
  expect(parseCsv(csv.body)).toHaveLength(count + 1);
});

test("what is too short for the index is looked for, too, as the screen does", async () => {
  const rows = lines((await exported(`${base}/messages`, { format: "ndjson", search: "zz" }, "user")).body);
  expect(rows).toEqual([]);
  expect(lines((await exported(`${base}/messages`, { format: "ndjson", search: "o-", state: "dead" }, "user")).body)).not.toEqual([]);
});

test("an exported list of external items is imported again as it is", async () => {
  const { body: csv } = await exported(`${base}/external-items`, {});
  const again = await made.call("user", "POST", `${base}/external-items/import`, { csv });
  expect(again.json()).toMatchObject({ created: 0, updated: 0, unchanged: 2, errorCount: 0 });
});

test("a file has a name that tells what it is, and CSV a byte order mark when it is wanted", async () => {
  const answer = await exported(`${base}/dead-letters`, { byteOrderMark: "true" });
  expect(answer.headers["content-disposition"]).toMatch(/^attachment; filename="dead-letters-acme-\d{4}-\d\d-\d\dT\d{6}\.csv"$/);
  expect(answer.headers["content-type"]).toBe("text/csv; charset=utf-8");
  expect(answer.body.startsWith("\uFEFFid,queueId,queueName,")).toBe(true);
});

const cells = async (path: string) => parseCsv((await exported(path, {})).body).flatMap((row) => row.cells);

test("no text starts so that a spreadsheet runs it", async () => {
  expect(await cells(`${base}/dead-letters`)).toContain(`'=HYPERLINK("http://x")`);
  expect(await cells(`${base}/external-items`)).toContain("'+1");
});

test("an export that there is no room for is refused, and nothing is told of it as shown", async () => {
  made.app.exports.running += 16;
  try {
    const wish = { format: "ndjson", documents: "true", reason: "the customer asks" };
    const refused = await made.call("user", "GET", `${base}/messages/export?${new URLSearchParams(wish).toString()}`);
    expect(refused.statusCode).toBe(503);
    const { rows } = await made
      .pool("owner", 1)
      .query("select from hub.audit_event where request_id = $1", [refused.headers["x-request-id"]]);
    expect(rows).toEqual([]);
  } finally {
    made.app.exports.running -= 16;
  }
});

test("documents go out masked; as they are only for those who may reveal, with a reason that is kept", async () => {
  const path = `${base}/messages?key=o-9`;
  expect(lines((await exported(path, { format: "ndjson" })).body)[0]).not.toHaveProperty("document");
  const masked = String(lines((await exported(path, { format: "ndjson", documents: "true" }, "user")).body)[0]?.["document"]);
  expect(masked).toContain('"orderNumber":"o-9"');
  expect(masked).not.toContain("buyer-9");
  const wish = { format: "ndjson", documents: "true", reason: "the customer asks" };
  expect((await exported(path, wish, "viewer")).statusCode).toBe(403);
  const open = await exported(path, wish, "user");
  expect(lines(open.body)[0]?.["document"]).toContain("buyer-9@example.com");
  const { rows } = await made
    .pool("owner", 1)
    .query("select action, target_kind, reason, after from hub.audit_event where request_id = $1", [open.headers["x-request-id"]]);
  expect(rows).toMatchObject([{ action: "exportMessages", target_kind: "messages", reason: wish.reason, after: { key: ["o-9"] } }]);
});

test.each([
  [`${base}/external-messages?state=accepted`, '"sku":"lamp"'],
  [`${base}/entities?entityType=item`, '"sku":"lamp"'],
  [`${base}/dead-letters?key=o-1`, '"orderNumber":"o-1"'],
])("rows of %s come with their documents where these are asked for", async (path, part) => {
  const [row] = lines((await exported(path, { format: "ndjson", documents: "true" })).body);
  expect(row?.["document"]).toContain(part);
});

test("a viewer finds nothing out by exporting what matches a masked value", async () => {
  const path = `${base}/messages?payload=${encodeURIComponent('$.email = "buyer-9@example.com"')}`;
  const answer = await exported(path, {});
  expect(answer.statusCode).toBe(403);
  expect(answer.json()).toMatchObject({ code: "permission-missing" });
});

test("what is wrong with a filter is told before anything is sent", async () => {
  expect((await exported(`${base}/messages?payload=nonsense`, {})).statusCode).toBe(400);
  expect((await exported(`${base}/messages`, { format: "xlsx" })).statusCode).toBe(400);
});

test("another tenant's rows are in nobody's file", async () => {
  expect((await made.call("admin", "GET", "/api/v1/tenants/other/messages/export?format=ndjson")).body).toBe("");
  expect((await made.call("stranger", "GET", `${base}/messages/export`)).statusCode).toBe(404);
});

test("an export reads few documents at a time, as they may be large, and each row has its own", async () => {
  const asked = vi.spyOn(pg.Client.prototype, "query");
  const rows = lines((await exported(`${base}/messages`, { format: "ndjson", documents: "true" })).body);
  const answers: unknown[] = await Promise.all(asked.mock.results.map(({ value }: { value: unknown }) => value));
  asked.mockRestore();
  const sizes = answers.map((answer) => {
    const { rows } = (answer ?? {}) as { rows?: Record<string, unknown>[] };
    return rows?.filter(({ document }) => typeof document === "string").length ?? 0;
  });
  expect(Math.max(...sizes)).toBe(25);
  expect(rows.filter(({ key, document }) => String(document).includes(`"${String(key)}"`))).toHaveLength(total - 1);
});

/** An export that is under way, as its reader takes no more of it than the sockets between do. */
async function begun(query: string, token: string): Promise<IncomingMessage> {
  const request = get(`${address}${base}/messages/export?format=ndjson&documents=true&${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  // The reset of a connection is told to the request as well.
  request.on("error", () => undefined);
  return response;
}

test.each([
  ["somebody disabled", "", "is_active = false"],
  ["somebody who may no longer reveal what is in it", "reason=asked", "role = 'viewer'"],
])("the export of %s breaks off", async (_, query, change) => {
  const owner = made.pool("owner", 1);
  const response = await begun(query, made.accounts.user);
  const end = new Promise((resolve) => response.once("error", () => resolve("broken off")).once("end", () => resolve("whole")));
  await owner.query(`update hub."user" set ${change} where id = 2`);
  try {
    await vi.waitUntil(() => made.app.exports.running === 0, { timeout: 60_000 });
    response.resume();
    expect(await end).toBe("broken off");
  } finally {
    await owner.query(`update hub."user" set is_active = true, role = 'user' where id = 2`);
  }
});

test("a reader who leaves ends the export and frees its connection; one who doesn't read holds none", async () => {
  const request = get(`${address}${base}/messages/export?documents=true&format=ndjson`, {
    headers: { authorization: `Bearer ${made.accounts.viewer}` },
  });
  const [response] = (await once(request, "response")) as [IncomingMessage];
  await once(response, "readable");
  const { readOnly } = made.deps.pools;
  const isFree = () => readOnly.idleCount === readOnly.totalCount && readOnly.waitingCount === 0;
  await vi.waitUntil(isFree, { timeout: 60_000 });
  expect(made.app.exports.running).toBe(1);
  response.destroy();
  await vi.waitUntil(() => made.app.exports.running === 0, { timeout: 60_000 });
  expect(isFree()).toBe(true);
});
