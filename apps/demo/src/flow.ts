import { createHmac, randomUUID } from "node:crypto";
import type { ConnectorCode, EntityType } from "@crossdock/contract";
import { makeCatalogue, type Article } from "./catalogue.ts";
import { toError } from "./client.ts";
import { customerOf, erpArticle, orderOf, priceOf, shipmentOf, shopifyOrderOf, stockOf } from "./documents.ts";
import { pushBatch } from "./gateway.ts";
import { createRandom, type Random } from "./random.ts";
import { codeOf, shopifySecret, type Workplace } from "./workspace.ts";

/** Orders a minute of one subtenant at noon. */
const ordersAtPeak = 14;
/** Share of the peak by the hour of the day (UTC): a quiet night, a bump at lunch, the peak in the evening. */
const shareByHour = [
  0.1, 0.06, 0.04, 0.04, 0.05, 0.1, 0.25, 0.4, 0.55, 0.6, 0.65, 0.8, 0.85, 0.7, 0.6, 0.6, 0.65, 0.75, 0.9, 1, 0.95, 0.7, 0.4, 0.2,
];

/** One subtenant's trade. */
export type Flow = {
  /** Hands in the catalogue. After a restart nothing of it is news. */
  begin: () => Promise<void>;
  /** What happens in one second. */
  tick: (at: Date) => Promise<void>;
};

type Catalogue = readonly [Article, ...Article[]];

export function createFlow(url: string, workplace: Workplace, seed: number): Flow {
  const { tenant, subtenant, key } = workplace;
  const [first, ...others] = makeCatalogue(tenant.theme, tenant.articles, seed);
  if (first === undefined) throw new Error(`${tenant.code} has no articles`);
  const catalogue: Catalogue = [first, ...others];
  const random = createRandom(Date.now() % 1_000_000);
  const orderNumbers: string[] = [];
  const shop = subtenant.points.find(({ sourceTypes }) => sourceTypes?.includes("order"));

  const send = async (code: string, connector: ConnectorCode, entityType: EntityType, documents: readonly unknown[]): Promise<void> => {
    if (documents.length === 0) return;
    const door = { url, key, connector, subtenant: subtenant.code, integrationPoint: codeOf(subtenant, { code }), entityType };
    await pushBatch(
      door,
      documents.map((document) => (typeof document === "string" ? document : JSON.stringify(document))),
    );
  };
  const fromErp = (entityType: EntityType, documents: readonly unknown[]): Promise<void> => send("erp", "litium", entityType, documents);
  const { currency, country } = subtenant;
  const warehouse = `${country.toLowerCase()}-central`;

  return {
    begin: async () => {
      // Articles first, so that prices and stock find them; at a pace that leaves the machine to whoever looks at the demo.
      await inParts(catalogue, (part) => fromErp("item", part.map(erpArticle)));
      await inParts(catalogue, (part) =>
        fromErp(
          "price",
          part.map((article) => priceOf(article, currency, null)),
        ),
      );
      await inParts(catalogue, (part) =>
        fromErp(
          "stock",
          part.map((article) => stockOf(article, warehouse, null)),
        ),
      );
    },
    tick: async (at) => {
      await fromErp("stock", changedStock(catalogue, random, warehouse, at));
      if (random.chance(0.15)) await fromErp("price", [changedPrice(catalogue, random, currency, at)]);
      if (random.chance(0.05)) await fromErp("customer", [customerOf(country, random)]);
      if (random.chance(0.01)) await fromErp("stock", [mistake(catalogue, random)]);
      if (shop !== undefined && random.chance(ordersPerSecond(at))) {
        const orderNumber = `${subtenant.code.slice(0, 2).toUpperCase()}${at.getTime().toString(36).toUpperCase()}`;
        orderNumbers.push(orderNumber);
        const sale = { currency, country, orderNumber, at };
        const hookId = workplace.hookIds.get(codeOf(subtenant, shop));
        if (shop.connector === "shopify" && hookId) await callHook(url, hookId, shopifyOrderOf(sale, catalogue, random));
        else await send(shop.code, shop.connector, "order", [orderOf(sale, catalogue, random)]);
      }
      // Packed some two minutes after the order, as the demo has no time for a real warehouse.
      const packed = orderNumbers.length > 20 ? orderNumbers.shift() : undefined;
      if (packed !== undefined) await fromErp("shipment", [shipmentOf(packed, at, random)]);
    },
  };
}

const [partSize, partPauseMs] = [40, 500];

async function inParts(catalogue: Catalogue, handIn: (part: Article[]) => Promise<void>): Promise<void> {
  for (let from = 0; from < catalogue.length; from += partSize) {
    await handIn(catalogue.slice(from, from + partSize));
    await new Promise((resolve) => setTimeout(resolve, partPauseMs));
  }
}

/** A webhook as Shopify sends it, signed over the raw bytes. */
async function callHook(url: string, hookId: string, order: unknown): Promise<void> {
  const body = JSON.stringify(order);
  const answer = await fetch(`${url}/hooks/${hookId}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-shopify-topic": "orders/create",
      "x-shopify-webhook-id": randomUUID(),
      "x-shopify-hmac-sha256": createHmac("sha256", shopifySecret).update(body).digest("base64"),
    },
    body,
  });
  if (!answer.ok) throw await toError(answer);
  await answer.body?.cancel();
}

export function ordersPerSecond(at: Date): number {
  return (ordersAtPeak / 60) * (shareByHour[at.getUTCHours()] ?? 0.5);
}

/** Sales and deliveries: small steps down, now and then a pallet. */
function changedStock(catalogue: Catalogue, random: Random, warehouse: string, at: Date): unknown[] {
  return Array.from({ length: random.between(0, 2) }, () => {
    const article = random.pick(catalogue);
    article.stock = article.stock === 0 || random.chance(0.05) ? article.stock + random.between(20, 120) : article.stock - 1;
    return stockOf(article, warehouse, at);
  });
}

function changedPrice(catalogue: Catalogue, random: Random, currency: string, at: Date): unknown {
  const article = random.pick(catalogue);
  const isMistake = random.chance(0.04);
  // A price below zero is what a typing error in an ERP looks like: some targets take it, Shopify answers 422.
  if (isMistake) return priceOf({ ...article, priceMinor: -article.priceMinor }, currency, at);
  article.priceMinor = Math.max(900, Math.round((article.priceMinor * (0.85 + random.next() * 0.3)) / 1000) * 1000 - 100);
  return priceOf(article, currency, at);
}

/** What source systems send when something went wrong there: kept as rejected external messages with the reason. */
function mistake(catalogue: Catalogue, random: Random): unknown {
  const { sku } = random.pick(catalogue);
  const mistakes = [
    { sku, quantity: "ten" },
    { sku, warehouse: "main", quantity: 12.5 },
    { article: sku },
    `{"sku": "${sku}", "quantity": `,
  ];
  return mistakes[random.between(0, mistakes.length - 1)];
}
