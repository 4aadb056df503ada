import type { Answer, Send } from "./fuzz.ts";

type Asked = { method: string; url: string; body?: object };
const base = "/api/v1/tenants/acme";

/**
 * Fills tenant `acme` with a little of everything, through the API, so that lists have something in them: points, what came in, what could
 * not be delivered, mappings, notes, views, schedules. Answers an admin's API key.
 */
export async function fillWorkspace(send: Send, admin: string): Promise<string> {
  const call = async ({ method, url, body }: Asked): Promise<Record<string, string>> => {
    const headers = { authorization: `Bearer ${admin}`, ...(body && { "content-type": "application/json" }) };
    const answer: Answer = await send({ method, url, headers, ...(body && { body: JSON.stringify(body) }) });
    if (answer.status >= 400) throw new Error(`${method} ${url}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body || "{}");
  };
  const post = (path: string, body: object) => call({ method: "POST", url: `${base}${path}`, body });
  const point = { subtenantCode: "shop" };
  // Nothing answers there, so what is sent fails, waits and dies.
  const nowhere = "http://127.0.0.1:1";
  const retry = { maxAttempts: 1, baseDelayMs: 100, maxDelayMs: 1000 };
  await post("/integration-points", {
    ...point,
    connector: "centra",
    code: "to",
    name: "To",
    targetTypes: ["item"],
    settings: { url: nowhere },
    retry,
  });
  const erp = { ...point, connector: "sitoo", code: "from", name: "From", sourceTypes: ["item"], settings: { url: nowhere } };
  await post("/integration-points", erp);
  const polled = { ...point, connector: "magento", code: "polled", name: "Polled", sourceTypes: ["item"], settings: { baseUrl: nowhere } };
  const { id } = await post("/integration-points", { ...polled, sourceTypes: ["order"] });
  await post("/schedules", { integrationPointId: id, entityType: "order", everySeconds: 86_400 });
  for (const entityType of ["item", "stock"])
    await post("/schedules", { kind: "export", subtenantCode: "shop", entityType, everySeconds: 86_400 });
  for (const number of [1, 2, 3])
    await post("/mappings", {
      subtenantCode: null,
      fieldName: "color",
      source: "litium",
      sourceValue: `${number}`,
      target: "shopify",
      targetValue: "d",
    });
  await post("/saved-views", { list: "/queue", name: "Dead ones", query: "state=dead" });
  await call({ method: "POST", url: "/api/v1/announcements", body: { text: "Tonight at ten" } });
  for (const name of ["One", "Two"]) await post("/alert-channels", { name, kind: "webhook", url: "https://127.0.0.1:1/alerts" });
  for (const number of [1, 2, 3, 4])
    await post("/imports", { integrationPointId: id, entityType: "order", name: `${number}.csv`, format: "csv" });
  const { key = "" } = await post("/api-keys", { name: "fuzzer", role: "admin" });
  for (let number = 0; number < 12; number += 1) {
    const item = { schemaVersion: 1, sku: `sku-${number}`, name: "Lamp" };
    // A gateway learns of a new source a moment later.
    for (let tries = 0; tries < 100; tries += 1) {
      const url = "/sitoo/items?tenant=acme&subtenant=shop&integrationPoint=from";
      const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
      const answer = await send({ method: "POST", url, headers, body: JSON.stringify(item) });
      if (answer.status < 400) break;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
  // Of nothing there is no job.
  for (const sku of ["sku-0", "sku-1", "sku-2", "sku-3"]) await post("/jobs", { kind: "remove", selection: { filter: { key: sku } } });
  return key;
}
