import { expect, test } from "vitest";
import { startSandbox } from "@crossdock/sandbox";
import { casesOf } from "../contract-cases.ts";
import { connectors } from "../index.ts";
import { Driver } from "../testing.ts";

const { pull } = connectors.plytix;

function caseAt(url: string) {
  const point = casesOf(url).find(({ code }) => code === "plytix");
  if (!point) throw new Error("no case");
  return point;
}

test("a product is found by a query of its own sku, whatever is in it", async () => {
  const sandbox = await startSandbox();
  const driver = new Driver(connectors.plytix);
  const point = caseAt(sandbox.url);
  for (const sku of ["A&B=1", "A"]) {
    const made = await driver.deliver(point, "item", { sku, name: sku });
    expect(made).toMatchObject({ verdict: { kind: "delivered", externalId: expect.stringMatching(/^5f/) } });
    // Without an external id, as when the product was made by somebody else.
    const again = await new Driver(connectors.plytix).deliver(point, "price", { sku, price: { amount: "10", currency: "EUR" } });
    expect(again.verdict).toEqual(made.verdict);
  }
  await sandbox.close();
});

const answer = (modified: string[], pagination: object) => ({
  status: 200,
  headers: {},
  body: JSON.stringify({ data: modified.map((time, index) => ({ id: `p${index}`, modified: time })), errors: [], pagination }),
});

test("products are pulled in the order of their changes, page by page", () => {
  const { settings, credentials } = caseAt("http://plytix.example");
  const ask = (cursor: string | null) => {
    const asked = pull?.next({ entityType: "item", cursor, settings, credentials });
    if (!asked || "kind" in asked) throw new Error("no pull");
    return asked;
  };
  const first = ask(null);
  expect(decodeURIComponent(first.request.url)).toMatch(
    /products\?_fields=id&.*_fields=attributes&_sort_by=modified&_page=1&_page_size=100$/,
  );
  const page = first.read(
    answer(["2026-09-01T10:00:00.100000", "2026-09-02T10:00:00.200000"], { next_page: "http://plytix.example/?_page=2" }),
  );
  expect(page).toMatchObject({ kind: "page", hasMore: true });
  const second = ask("cursor" in page ? page.cursor : null);
  expect(second.request.method).toBe("GET");
  expect(decodeURIComponent(second.request.url)).toContain("&modified[gte]=2026-09-02T10:00:00.200000&");
  expect(second.read(answer(["2026-09-02T10:00:00.200000"], {}))).toMatchObject({ kind: "page", hasMore: false });
});
