import { startSandbox, type Sandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { casesOf } from "../contract-cases.ts";
import { Driver } from "../testing.ts";
import { connectors } from "../index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

const money = (amount: string) => ({ amount, currency: "SEK" });

test("a reduction ends with the next price that is none, and a price that never was reduced has none to end", async () => {
  const point = casesOf(sandbox.url).find(({ code }) => code === "magento");
  if (!point) throw new Error("no case");
  const driver = new Driver(connectors.magento);
  await driver.deliver(point, "item", { sku: "A-1", name: "Boots" });
  const listed = async () => {
    const list = await driver.list(point, "price");
    return "objects" in list ? list.objects : list;
  };
  await driver.deliver(point, "price", { sku: "A-1", price: money("199.00"), compareAtPrice: money("249.00") });
  expect(await listed()).toMatchObject([{ fields: { "price.amount": "199", "compareAtPrice.amount": "249" } }]);
  const plain = { sku: "A-1", price: money("229.00") };
  expect((await driver.deliver(point, "price", plain)).verdict).toMatchObject({ kind: "delivered" });
  expect(await listed()).toMatchObject([{ fields: { "price.amount": "229", "compareAtPrice.amount": null } }]);
  expect((await driver.deliver(point, "price", plain)).calls.map((call) => call.split("/").at(-1))).toEqual([
    "storeConfigs",
    "base-prices",
    "special-price-information",
  ]);
});

const early = "The Future Update Start Time is invalid. It can't be earlier than the current time.";
const special = (price_from: string, price_to: string) => ({ sku: "A-1", store_id: 0, price: 199, price_from, price_to });

const stores = [{ code: "default", base_currency_code: "SEK", timezone: "Europe/Stockholm" }];

/** The request that a store which answers so gets after that, at ten o'clock (UTC). */
const lastRequest = async (period: object, answers: object[]) => {
  const point = { settings: { baseUrl: "https://shop.example.com" }, credentials: { accessToken: "t" } };
  const document = JSON.stringify({ sku: "A-1", price: money("149.00"), compareAtPrice: money("249.00"), ...period });
  const now = new Date("2026-11-21T10:00:00Z");
  let request = await connectors.magento.request({
    entityType: "price",
    document,
    key: "A-1",
    externalId: null,
    messageId: "1",
    now,
    ...point,
  });
  for (const answer of [stores, [], ...answers]) {
    if ("kind" in request) throw new Error(request.error.message);
    const response = { status: 200, headers: {}, body: JSON.stringify(answer) };
    const verdict = connectors.magento.verdict({ entityType: "price", request, response });
    if (verdict.kind !== "next") throw new Error(JSON.stringify(verdict));
    ({ request } = verdict);
  }
  if ("kind" in request) throw new Error(request.error.message);
  expect(request.url).toMatch(/special-price$/);
  return request;
};

/** What is written of the reduction there. */
const reduced = async (period: object, answers: object[]) => {
  const { body } = await lastRequest(period, answers);
  const [{ price, price_from, price_to }] = JSON.parse(body ?? "").prices;
  return [price, price_from, price_to];
};

test("a store that doesn't show its views gets a reduction all the same, where the settings name the currency", async () => {
  const settings = { baseUrl: "https://shop.example.com", currency: "SEK" };
  const document = JSON.stringify({ sku: "A-1", price: money("149.00"), compareAtPrice: money("249.00"), validTo: "2026-11-30T23:00:00Z" });
  const input = { entityType: "price", document, key: "A-1", externalId: null, messageId: "1", settings } as const;
  const request = await connectors.magento.request({ ...input, credentials: { accessToken: "t" } });
  if ("kind" in request) throw new Error(request.error.message);
  const body = JSON.stringify({ message: "The consumer isn't authorized to access %resources." });
  const verdict = connectors.magento.verdict({ entityType: "price", request, response: { status: 401, headers: {}, body } });
  expect(verdict).toMatchObject({ kind: "next", request: { url: expect.stringMatching(/base-prices$/) } });
});

/** The same of Adobe Commerce, which refuses a beginning in the past and has these reductions. */
const scheduled = (period: object, found: object[]) => reduced(period, [[{ message: early, parameters: [] }], found]);

describe("Magento Open Source, which ends reductions with a day of its own clock,", () => {
  const modules = ["Magento_Store", "Magento_Catalog"];

  test("has the last day on which the price holds, and begins to the second", async () => {
    const blackFriday = { validFrom: "2026-11-26T23:00:00Z", validTo: "2026-11-30T23:00:00Z" };
    expect(await reduced(blackFriday, [modules])).toEqual([149, "2026-11-27 00:00:00", "2026-11-30 00:00:00"]);
    const toTheSecond = { validFrom: "2026-11-27T07:30:00Z", validTo: "2026-11-30T22:59:59Z" };
    expect(await reduced(toTheSecond, [modules])).toEqual([149, "2026-11-27 08:30:00", "2026-11-30 00:00:00"]);
  });

  test("isn't asked for its modules once the price holds", async () => {
    expect(await reduced({ validTo: "2026-07-01T22:00:00Z" }, [])).toEqual([149, "2000-01-01 00:00:00", "2026-07-01 00:00:00"]);
    expect(await reduced({ validFrom: "2026-11-20T23:00:00Z" }, [])).toEqual([149, "2026-11-21 00:00:00", "2100-01-01 00:00:00"]);
    expect(await reduced({ validTo: "9999-12-31T23:59:59Z" }, [])).toEqual([149, "2000-01-01 00:00:00", "2100-01-01 00:00:00"]);
  });
});

describe("Adobe Commerce, which schedules reductions and takes none that began before,", () => {
  const ever = "2038-01-19 03:14:07";

  test("has one from soon on, for as long as its schedule goes", async () => {
    expect(await scheduled({}, [])).toEqual([149, "2026-11-21 10:01:00", ever]);
    expect(await scheduled({}, [special("2026-11-01 00:00:00", "2026-12-01 00:00:00")])).toEqual([149, "2026-11-21 10:01:00", ever]);
  });

  test("has the one that lasts already changed where it stands", async () => {
    expect(await scheduled({}, [special("2026-11-01 00:00:00", ever)])).toEqual([149, "2026-11-01 00:00:00", ever]);
  });

  test("refuses for good what overlaps another", async () => {
    const request = await lastRequest({}, [[{ message: early, parameters: [] }], []]);
    const message = "Future Update already exists in this time range.";
    const response = { status: 200, headers: {}, body: JSON.stringify([{ message }]) };
    expect(connectors.magento.verdict({ entityType: "price", request, response })).toMatchObject({ kind: "dead", error: { message } });
  });

  test.each(["2099-12-31T23:00:00Z", "9999-12-31T23:59:59-05:00"])(
    "has its last moment for the end %s, which its schedule doesn't know",
    async (validTo) => {
      expect(await scheduled({ validTo }, [])).toEqual([149, "2026-11-21 10:01:00", ever]);
    },
  );

  test("has the beginning and the end that the price names, where they are still to come", async () => {
    const validTo = "2026-12-24T00:00:00Z";
    expect(await scheduled({ validTo }, [])).toEqual([149, "2026-11-21 10:01:00", "2026-12-24 00:00:00"]);
    const period = { validFrom: "2026-12-01T00:00:00Z", validTo };
    const others = [special("2026-11-25 00:00:00", "2026-12-24 00:00:00")];
    expect(await reduced(period, [["Magento_Catalog", "Magento_CatalogStaging"], others])).toEqual([
      149,
      "2026-12-01 00:00:00",
      "2026-12-24 00:00:00",
    ]);
  });
});
