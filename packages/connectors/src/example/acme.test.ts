import { readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { canonicalSchemas } from "@crossdock/contract";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Driver } from "../testing.ts";
import { acme } from "./acme.ts";

const articles = new Map<string, string>();
const orders = [
  {
    number: 17,
    placedAt: "2026-11-21 08:00:00",
    changedAt: "2026-11-21 08:00:00",
    currency: "SEK",
    rows: [{ id: 1, article: "A-1", pieces: 2, price: "9.90" }],
  },
];
let server: Server;
let point: { settings: object; credentials: object };

beforeAll(async () => {
  server = createServer((request, response) => {
    const [, , kind, sku = "", part] = (request.url ?? "").split("?")[0]?.split("/") ?? [];
    const answer = (status: number, body: unknown) => response.writeHead(status).end(JSON.stringify(body));
    if (request.headers["x-api-key"] !== "opensesame") return answer(401, { error: "wrong key" });
    if (kind === "orders") return answer(200, orders);
    if (part === "stock" && !articles.has(sku)) return answer(404, { error: "no such article" });
    if (kind === "articles") articles.set(sku, sku);
    return answer(200, { id: 7 });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  point = { settings: { baseUrl: `http://127.0.0.1:${port}/api` }, credentials: { apiKey: "opensesame" } };
});
afterAll(() => new Promise((resolve) => server.close(resolve)));

test("the guide's connector tests its connection, delivers, waits for what is not there yet and pulls", async () => {
  const driver = new Driver(acme);
  expect(await driver.probe(point)).toEqual({ kind: "delivered" });
  expect(await driver.probe({ ...point, credentials: { apiKey: "wrong" } })).toMatchObject({
    kind: "retry",
    error: { message: "HTTP 401: wrong key" },
  });
  const stock = { sku: "A-1", quantity: "3" };
  expect(await driver.deliver(point, "stock", stock)).toMatchObject({ verdict: { kind: "retry", isTargetFault: false } });
  expect(await driver.deliver(point, "item", { sku: "A-1", name: "Boots" })).toMatchObject({
    verdict: { kind: "delivered", externalId: "7" },
  });
  expect(await driver.deliver(point, "stock", stock)).toMatchObject({ verdict: { kind: "delivered" } });
  const ids = { key: "A-1", externalId: null, messageId: "1", now: new Date() };
  const document = JSON.stringify({ ...stock, unit: "kg" });
  expect(await acme.request({ ...point, ...ids, entityType: "stock", document })).toMatchObject({ leftOut: ["unit"] });

  const page = await driver.pull(point, "order", null);
  if (page.kind !== "page") throw new Error(page.kind);
  expect(page).toMatchObject({ hasMore: false, messages: [{ name: "17@2026-11-21 08:00:00" }] });
  const received = await acme.receive({
    body: Buffer.from(page.messages[0]?.body ?? ""),
    headers: {},
    settings: point.settings,
    entityType: "order",
  });
  const made = received.kind === "documents" ? received.documents[0]?.document : undefined;
  expect(canonicalSchemas.order.parse(made)).toMatchObject({
    orderNumber: "17",
    lines: [{ sku: "A-1", unitPrice: { amount: "9.90" } }],
  });
});

test("the example stays below a hundred lines", () => {
  expect(readFileSync(new URL("acme.ts", import.meta.url), "utf8").split("\n").length).toBeLessThan(100);
});
