import { z } from "zod";
import type { Pull, ReceivedDocument } from "../connector.ts";
import { addDecimals, divideDecimals, isNegative, isZero, multiplyDecimals, splitDecimal, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, joined, listOf, money, utcTime } from "../foreign.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered } from "../json-call.ts";
import { placesOfCurrency } from "../minor-units.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { withRounding } from "../row-sums.ts";
import { type Context, ask, manners } from "./call.ts";

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
  isOnHold: z.boolean().nullish(),
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
      productName: Text,
      productSize: z.object({ SKU: Text }).nullish(),
      quantity: NeededAmount,
      taxPercent: Amount,
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

type CentraOrder = z.output<typeof Order>;

/** What a line comes to. */
function valueOf({ lineValue, unitPrice, quantity }: CentraOrder["lines"][number]): string {
  return lineValue?.value ?? multiplyDecimals(unitPrice?.value ?? "0", quantity);
}

/** What lines, carriage and handling come to before what was taken off the order as a whole; null where a line doesn't tell. */
function sumOfParts({ lines, totals }: CentraOrder): string | null {
  if (lines.some(({ lineValue, unitPrice }) => lineValue?.value == null && unitPrice?.value == null)) return null;
  return addDecimals(totals?.shipping?.value ?? "0", totals?.handling?.value ?? "0", ...lines.map(valueOf));
}

/**
 * Centra tells prices with their tax unless asked otherwise. They are without it where they come to less than the order, and to as much or more
 * with the tax that was added.
 */
function arePricesNet(order: CentraOrder): boolean {
  const [sum, whole, added] = [sumOfParts(order), order.grandTotal?.value, order.totals?.taxAdded?.value];
  if (sum === null || whole == null || added == null) return false;
  const beyond = subtractDecimals(sum, whole);
  return isNegative(beyond) && !isNegative(addDecimals(beyond, added));
}

/** What vouchers and campaigns took off the order as a whole: what it comes to without. */
function discountOf(order: CentraOrder): string {
  const [sum, whole, totals] = [sumOfParts(order), order.grandTotal?.value, order.totals];
  if (sum === null || whole == null || totals == null) return "0";
  const off = subtractDecimals(arePricesNet(order) ? addDecimals(sum, totals.taxAdded?.value ?? "0") : sum, whole);
  return isNegative(off) ? "0" : off;
}

/**
 * Lines have a rate; of carriage, handling and discount only the tax of the whole order tells. A discount is off the lines, by what each costs;
 * what the lines then leave of the tax is that of the costs, by what each comes to, and without any the discount's. Null where a line has no
 * rate, or they leave none.
 */
function taxesBesideLines(order: CentraOrder, tax: string, costs: readonly string[], places: number) {
  const untold = { off: null, costs: null };
  const [isNet, discount, values] = [arePricesNet(order), discountOf(order), order.lines.map(valueOf)];
  const taxOf = (amounts: readonly string[]): string | null =>
    order.lines.reduce<string | null>((sum, { taxPercent }, index) => {
      if (sum === null || taxPercent === null) return null;
      const whole = isNet ? "100" : addDecimals("100", taxPercent);
      return addDecimals(sum, divideDecimals(multiplyDecimals(amounts[index] ?? "0", taxPercent), whole, places));
    }, "0");
  const ofLines = taxOf(values);
  const ofDiscount = isZero(addDecimals("0", ...values)) ? "0" : taxOf(splitDecimal(discount, values, places));
  if (ofLines === null || ofDiscount === null) return untold;
  if (isZero(addDecimals("0", ...costs))) {
    const beyond = subtractDecimals(ofLines, tax);
    return { ...untold, off: isNegative(beyond) ? null : beyond };
  }
  const rest = addDecimals(subtractDecimals(tax, ofLines), ofDiscount);
  return { off: ofDiscount, costs: isNegative(rest) ? null : splitDecimal(rest, costs, places) };
}

/** Baskets that were not checked out are orders too there. What was archived is old. https://support.centra.com/intro/basics/orderflow */
export function orderOf(order: CentraOrder): ReceivedDocument[] {
  if (order.status === "INCOMPLETE") return [];
  const currency = order.grandTotal?.currency?.code ?? order.lines[0]?.unitPrice?.currency?.code ?? "";
  const statuses = new Map<string | null, string>([
    ["COMPLETED", "completed"],
    ["ARCHIVED", "completed"],
    ["CANCELLED", "cancelled"],
  ]);
  const { shipping, handling, taxAdded, taxIncluded } = order.totals ?? {};
  const [added, included] = [taxAdded, taxIncluded].map((sum) => (sum?.value == null || isZero(sum.value) ? null : sum.value));
  const tax = included ?? added ?? null;
  const amounts = [shipping?.value ?? "0", handling?.value ?? "0"];
  const taxes = tax === null ? null : taxesBesideLines(order, tax, amounts, placesOfCurrency(currency));
  const discount = discountOf(order);
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: amounts[0] ?? "0", tax: taxes?.costs?.[0] ?? null },
    { lineNumber: "handling", kind: "fee", amount: amounts[1] ?? "0", tax: taxes?.costs?.[1] ?? null },
    { lineNumber: "order-discount", kind: "discount", amount: discount, tax: taxes?.off ?? null },
  ];
  // An order that says it has no tax, as one that leaves the country does, has none by its lines' rates either.
  const rateOf = (line: CentraOrder["lines"][number]) => (order.totals != null && tax === null ? null : line.taxPercent);
  const isTaxed = tax !== null || order.lines.some((line) => rateOf(line) !== null);
  const document = {
    orderNumber: order.number,
    status: statuses.get(order.status) ?? "open",
    orderedAt: utcTime(order.createdAt),
    updatedAt: utcTime(order.updatedAt),
    currency,
    pricesIncludeTax: isTaxed ? !arePricesNet(order) : null,
    customer: order.customer == null ? null : { customerNumber: order.customer.id, email: order.customer.email },
    billingAddress: addressOf(order.billingAddress),
    shippingAddress: addressOf(order.shippingAddress),
    lines: [
      ...order.lines.flatMap((line) =>
        withRounding(
          {
            lineNumber: line.id,
            sku: line.productSize?.SKU ?? null,
            description: line.productName,
            quantity: line.quantity,
            unitPrice: money(line.unitPrice?.value ?? null, currency),
            taxRatePercent: rateOf(line),
            total: money(line.lineValue?.value ?? null, currency),
          },
          line.lineValue?.value ?? null,
        ),
      ),
      ...costs.flatMap(({ amount, tax: own, ...line }) =>
        isZero(amount)
          ? []
          : [{ ...line, sku: null, description: null, quantity: "1", unitPrice: money(amount, currency), tax: money(own, currency) }],
      ),
    ],
    totals: {
      discount: isZero(discount) ? null : money(discount, currency),
      shipping: money(shipping?.value ?? null, currency),
      tax: money(tax, currency),
      total: money(order.grandTotal?.value ?? null, currency),
    },
    ...(order.isOnHold === true && { attributes: { onHold: true } }),
  };
  return [{ entityType: "order", document }];
}

const pageSize = 50;
const address = "firstName lastName companyName address1 address2 city zipCode country { code }";
const orderFields = `number status isOnHold createdAt updatedAt ... on DirectToConsumerOrder { customer { id email } } grandTotal { value currency { code } }
  totals { shipping { value } handling { value } taxAdded { value } taxIncluded { value } } billingAddress { ${address} } shippingAddress { ${address} }
  lines { id quantity productName taxPercent productSize { SKU } unitPrice { value currency { code } } lineValue { value currency { code } } }`;
const ordersQuery = `query ($where: OrderFilter, $page: Int!) { orders(where: $where, sort: [updatedAt_ASC], limit: ${pageSize}, page: $page) { ${orderFields} } }`;

export function pullOrders({ cursor, now, ...context }: Context & Pulling): Pull {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) =>
      ask(context, ordersQuery, { where: since === null ? {} : { updatedAt: { from: since } }, page }, Anything, () => delivered()),
    manners,
    objectsOf: (body) => (isRecord(body) && isRecord(body["data"]) && Array.isArray(body["data"]["orders"]) ? body["data"]["orders"] : []),
    idOf: (order) => order["number"],
    changedAt: (order) => order["updatedAt"],
  });
}
