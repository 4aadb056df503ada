import { z } from "zod";
import type { Pull, ReceivedDocument } from "../connector.ts";
import { isZero } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, asText, joined, listOf, money, utcTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { delivered, judge } from "../json-call.ts";
import { lookedAtAgain } from "../paging.ts";
import { Anything, type Context, ask, manners } from "./call.ts";

const Money = z.object({ value: Amount, currency: z.object({ code: z.string() }).nullish() }).nullish();
const Address = z.object({
  firstName: Text,
  lastName: Text,
  companyName: Text,
  address1: Text,
  address2: Text,
  city: Text,
  zipCode: Text,
  country: z.object({ code: Text }).nullish(),
});
export const Order = z.object({
  number: Id,
  status: Text,
  createdAt: z.string(),
  updatedAt: Text,
  customer: z.object({ id: Text, email: Text }).nullish(),
  grandTotal: Money,
  totals: z.object({ shipping: Money, handling: Money, taxAdded: Money, taxIncluded: Money }).nullish(),
  billingAddress: Address.nullish(),
  shippingAddress: Address.nullish(),
  lines: listOf(
    z.object({
      id: Id,
      product: z.object({ name: Text }).nullish(),
      productSize: z.object({ SKU: Text }).nullish(),
      quantity: NeededAmount,
      unitPrice: Money,
      lineValue: Money,
    }),
  ),
});

function addressOf(address: z.output<typeof Address> | null | undefined) {
  if (address == null) return null;
  return {
    name: joined(address.firstName, address.lastName),
    company: address.companyName,
    street: [address.address1, address.address2].filter((line) => line !== null),
    city: address.city,
    postalCode: address.zipCode,
    country: address.country?.code?.toUpperCase() ?? null,
  };
}

export function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  const currency = order.grandTotal?.currency?.code ?? order.lines[0]?.unitPrice?.currency?.code ?? "";
  const statuses = new Map<string | null, string>([
    ["COMPLETED", "completed"],
    ["CANCELLED", "cancelled"],
  ]);
  const { shipping, handling, taxAdded, taxIncluded } = order.totals ?? {};
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: shipping?.value ?? null },
    { lineNumber: "handling", kind: "fee", amount: handling?.value ?? null },
  ];
  const [added, included] = [taxAdded, taxIncluded].map((tax) => (tax?.value == null || isZero(tax.value) ? null : tax.value));
  const document = {
    orderNumber: order.number,
    status: statuses.get(order.status) ?? "open",
    orderedAt: utcTime(order.createdAt),
    updatedAt: utcTime(order.updatedAt),
    currency,
    pricesIncludeTax: included != null ? true : added != null ? false : null,
    customer: order.customer == null ? null : { customerNumber: order.customer.id, email: order.customer.email },
    billingAddress: addressOf(order.billingAddress),
    shippingAddress: addressOf(order.shippingAddress),
    lines: [
      ...order.lines.map((line) => ({
        lineNumber: line.id,
        sku: line.productSize?.SKU ?? null,
        description: line.product?.name ?? null,
        quantity: line.quantity,
        unitPrice: money(line.unitPrice?.value ?? null, currency),
        total: money(line.lineValue?.value ?? null, currency),
      })),
      ...costs.flatMap(({ amount, ...line }) =>
        amount === null || isZero(amount)
          ? []
          : [{ ...line, sku: null, description: null, quantity: "1", unitPrice: money(amount, currency) }],
      ),
    ],
    totals: {
      shipping: money(shipping?.value ?? null, currency),
      tax: money(included ?? added ?? null, currency),
      total: money(order.grandTotal?.value ?? null, currency),
    },
  };
  return [{ entityType: "order", document }];
}

const pageSize = 50;
const address = "firstName lastName companyName address1 address2 city zipCode country { code }";
const orderFields = `number status createdAt updatedAt customer { id email } grandTotal { value currency { code } }
  totals { shipping { value } handling { value } taxAdded { value } taxIncluded { value } } billingAddress { ${address} } shippingAddress { ${address} }
  lines { id quantity product { name } productSize { SKU } unitPrice { value currency { code } } lineValue { value currency { code } } }`;

/** Orders by their number, which only grows; the last one taken is the cursor, and some before it for the next poll: they may have changed. */
export function pullOrders({ cursor, ...context }: Context & { cursor: string | null }): Pull {
  const from = /^\d{1,12}$/.test(cursor ?? "") ? Number(cursor) + 1 : 0;
  const query = `query ($from: Int!) { orders(where: { number: { from: $from } }, sort: [number_ASC], limit: ${pageSize}) { ${orderFields} } }`;
  return {
    request: ask(context, query, { from }, Anything, () => delivered()),
    read: (response) =>
      judge(response, manners, {}, (body) => {
        const data = isRecord(body) && isRecord(body["data"]) ? body["data"]["orders"] : [];
        const orders = Array.isArray(data) ? data.filter(isRecord) : [];
        const last = asText(orders.at(-1)?.["number"]);
        const hasMore = orders.length >= pageSize;
        const reached = /^\d{1,12}$/.test(last) ? Number(last) : from - 1;
        return {
          kind: "page" as const,
          messages: orders.map((order) => ({
            body: JSON.stringify(order),
            name: `${asText(order["number"])}@${asText(order["updatedAt"])}`,
          })),
          cursor: String(Math.max(0, hasMore ? reached : reached - lookedAtAgain)),
          hasMore,
        };
      }),
  };
}
