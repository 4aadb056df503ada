import { z } from "zod";
import { Address, Attributes, Decimal, Key, Money, type Placed, SchemaVersion, ZonedTime, checkCurrency, text } from "./values.ts";
import { reasons } from "../reasons.ts";

/** Lines that are no products (postage, bank charges, a correction) say so by their kind, so that nobody looks for their item. */
export const OrderLine = z.strictObject({
  lineNumber: Key.describe("Unique within the order"),
  kind: z.enum(["product", "shipping", "fee", "discount", "adjustment"]).default("product"),
  sku: Key.nullable(),
  description: text(2_000).nullable(),
  quantity: Decimal.describe("Negative in returns and cancellations"),
  unitPrice: Money.describe("May be zero, and negative in corrections"),
  discount: Money.refine(({ amount }) => !/^-.*[1-9]/.test(amount), reasons["discount-negative"])
    .nullish()
    .describe("What was taken off the whole line, as a positive amount"),
  tax: Money.nullish().describe("Tax of the whole line"),
  taxRatePercent: Decimal.nullish(),
  total: Money.nullish().describe("As the source states it; never computed here"),
  attributes: Attributes.nullish(),
});
export type OrderLine = z.infer<typeof OrderLine>;

/** A sale or its cancellation. Business key: the order number. */
export const Order = z
  .strictObject({
    schemaVersion: SchemaVersion,
    orderNumber: Key,
    kind: z.enum(["sale", "cancellation"]).default("sale"),
    cancels: Key.nullish().describe("Order number that a cancellation takes back, where known"),
    status: z.enum(["open", "completed", "cancelled"]).default("open"),
    paymentStatus: z.enum(["pending", "authorized", "partially-paid", "paid", "partially-refunded", "refunded", "voided"]).nullish(),
    fulfilmentStatus: z.enum(["unfulfilled", "partial", "fulfilled"]).nullish(),
    orderedAt: ZonedTime,
    cancelledAt: ZonedTime.nullish(),
    updatedAt: ZonedTime.nullish(),
    currency: Money.shape.currency,
    pricesIncludeTax: z.boolean().nullish(),
    customer: z
      .strictObject({ customerNumber: Key.nullish(), email: text(320).nullish(), phone: text(100).nullish(), name: text(300).nullish() })
      .nullable()
      .describe("Null: sold to nobody known"),
    billingAddress: Address.nullish(),
    shippingAddress: Address.nullish(),
    lines: z
      .array(OrderLine)
      .max(5_000)
      .refine((lines) => new Set(lines.map((line) => line.lineNumber)).size === lines.length, reasons["lines-unique"]),
    totals: z
      .strictObject({
        lines: Money.nullish(),
        discount: Money.nullish(),
        shipping: Money.nullish(),
        tax: Money.nullish(),
        total: Money.nullish(),
      })
      .nullish()
      .describe("As the source states them; never computed here"),
    salesChannel: text(200).nullish(),
    note: text(10_000).nullish(),
    tags: z.array(text(255)).max(500).nullish(),
    attributes: Attributes.nullish(),
  })
  .superRefine((order, context) => checkCurrency(order.currency, amountsOf(order), context))
  .meta({ id: "Order" });
export type Order = z.infer<typeof Order>;

type Amounts = { lines: OrderLine[]; totals?: Record<string, Placed[1]> | null | undefined };

function* amountsOf({ lines, totals }: Amounts): Generator<Placed> {
  for (const [index, { unitPrice, discount, tax, total }] of lines.entries())
    for (const [name, money] of Object.entries({ unitPrice, discount, tax, total })) yield [["lines", index, name], money];
  for (const [name, money] of Object.entries(totals ?? {})) yield [["totals", name], money];
}
