import type { Article } from "./catalogue.ts";
import { makePerson } from "./people.ts";
import type { Random } from "./random.ts";

/** What the demo's source systems send: canonical documents, except where an integration point translates. */
type Document = Record<string, unknown>;

function decimal(minor: number): string {
  return (minor / 100).toFixed(2);
}

/** The article in the words of a home-made ERP; the integration point's expression `erpTranslation` makes an item of it. */
export function erpArticle(article: Article): Document {
  return {
    articleNo: article.sku,
    text: article.name,
    group: article.category,
    supplier: article.brand,
    vat: article.taxCode,
    ean: article.barcode,
    blocked: "N",
  };
}

export const erpTranslation = `{
  "sku": articleNo,
  "name": text,
  "categories": [group],
  "brand": supplier,
  "taxCode": vat,
  "barcode": ean,
  "isActive": blocked != "Y"
}`;

export function itemOf(article: Article): Document {
  const { sku, name, brand, category, taxCode, barcode } = article;
  return { sku, name, brand, categories: [category], taxCode, barcode };
}

export function priceOf(article: Article, currency: string, at: Date | null): Document {
  return { sku: article.sku, price: { amount: decimal(article.priceMinor), currency }, includesTax: true, ...changedAt(at) };
}

export function stockOf(article: Article, warehouse: string, at: Date | null): Document {
  return { sku: article.sku, warehouse, quantity: String(article.stock), ...changedAt(at) };
}

/** The first catalogue bears no time, so that a restart hands in the same documents, and nothing happens. */
function changedAt(at: Date | null): { updatedAt?: string } {
  return at === null ? {} : { updatedAt: at.toISOString() };
}

type Sale = { currency: string; country: string; orderNumber: string; at: Date };

/** An order of one to five articles, and now and then a discount. */
export function orderOf(sale: Sale, catalogue: readonly [Article, ...Article[]], random: Random): Document {
  const { currency, country, orderNumber, at } = sale;
  const buyer = makePerson(random, country);
  const articles = new Set(Array.from({ length: random.between(1, 5) }, () => random.pick(catalogue)));
  const lines: Document[] = [...articles].map((article, index) => ({
    lineNumber: String(index + 1),
    sku: article.sku,
    description: article.name,
    quantity: String(random.chance(0.8) ? 1 : random.between(2, 4)),
    unitPrice: { amount: decimal(article.priceMinor), currency },
  }));
  lines.push({
    lineNumber: String(lines.length + 1),
    kind: "shipping",
    sku: null,
    description: "Parcel to the door",
    quantity: "1",
    unitPrice: { amount: "49.00", currency },
  });
  const name = `${buyer.firstName} ${buyer.lastName}`;
  const address = { name, street: [buyer.street], postalCode: buyer.postalCode, city: buyer.city, country: buyer.country };
  return {
    orderNumber,
    orderedAt: at.toISOString(),
    updatedAt: at.toISOString(),
    currency,
    paymentStatus: "paid",
    pricesIncludeTax: true,
    customer: { customerNumber: buyer.number, email: buyer.email, name },
    billingAddress: address,
    shippingAddress: address,
    lines,
  };
}

/** The same sale as Shopify's webhook `orders/create` tells it. */
export function shopifyOrderOf(sale: Sale, catalogue: readonly [Article, ...Article[]], random: Random): Document {
  const { currency, country, orderNumber, at } = sale;
  const buyer = makePerson(random, country);
  const [first_name, last_name] = [buyer.firstName, buyer.lastName];
  const address = { first_name, last_name, address1: buyer.street, zip: buyer.postalCode, city: buyer.city, country_code: country };
  const articles = new Set(Array.from({ length: random.between(1, 5) }, () => random.pick(catalogue)));
  const lines = [...articles].map(({ sku, name, priceMinor }, index) => ({
    id: at.getTime() + index,
    sku,
    title: name,
    quantity: random.chance(0.8) ? 1 : 2,
    price: decimal(priceMinor),
  }));
  const total = lines.reduce((sum, { quantity, price }) => sum + quantity * Number(price), 0);
  return {
    id: at.getTime(),
    name: orderNumber,
    email: buyer.email,
    currency,
    created_at: at.toISOString(),
    updated_at: at.toISOString(),
    financial_status: "paid",
    taxes_included: true,
    total_price: total.toFixed(2),
    customer: { id: Number(buyer.number), email: buyer.email, first_name, last_name },
    billing_address: address,
    shipping_address: address,
    line_items: lines,
    shipping_lines: [{ id: at.getTime() + 100, title: "Parcel to the door", price: "49.00" }],
  };
}

export function customerOf(country: string, random: Random): Document {
  const { number, firstName, lastName, email, street, postalCode, city } = makePerson(random, country);
  return {
    customerNumber: number,
    firstName,
    lastName,
    email,
    country,
    addresses: [{ street: [street], postalCode, city, country, isDefault: true }],
  };
}

export function shipmentOf(orderNumber: string, at: Date, random: Random): Document {
  return {
    shipmentNumber: `${orderNumber}-1`,
    orderNumber,
    status: "shipped",
    shippedAt: at.toISOString(),
    carrier: random.pick(["PostNord", "DHL", "Bring", "DB Schenker"]),
    tracking: [{ number: `CD${random.between(100_000_000, 999_999_999)}` }],
    lines: [],
    updatedAt: at.toISOString(),
  };
}
