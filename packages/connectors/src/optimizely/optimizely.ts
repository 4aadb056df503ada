import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type OutboundRequest, type ReceivedDocument, type Verdict, messageHeaders } from "../connector.ts";
import { addDecimals, isNegative, isZero, splitDecimal, subtractDecimals } from "../decimal.ts";
import { Amount, Id, NeededAmount, Text, asText, country, joined, listOf, money, utcTime } from "../foreign.ts";
import { BaseUrl, Secret, at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { Anything, type Call, type Manners, delivered, jsonRequest, later, next } from "../json-call.ts";
import { placesOfCurrency } from "../minor-units.ts";
import { type ContextOf, type Delivery as NativeDelivery, nativeConnector, translator } from "../native.ts";
import { partTakenBack } from "../order-standing.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { withRounding } from "../row-sums.ts";
import { basic, tokenGrant } from "../token-grant.ts";

const Settings = z.strictObject({
  baseUrl: BaseUrl.meta({ title: "Address", description: "Of the Configured Commerce site: https://shop.example.com" }),
  clientId: z
    .string()
    .min(1)
    .max(200)
    .default("isc_admin")
    .meta({ title: "Client", description: "Under which tokens of the Admin API are given out" }),
});
type Settings = z.infer<typeof Settings>;

const Credentials = z.strictObject({
  clientSecret: Secret.meta({ title: "Client secret" }),
  username: Secret.meta({ title: "User name", description: "Of an administrator of the console" }),
  password: Secret.meta({ title: "Password" }),
});
type Credentials = z.infer<typeof Credentials>;

type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
type Context = ContextOf<Settings, Credentials>;

/** OData: `{error: {code, message, innererror}}`, the message sometimes an object. */
const manners: Manners = {
  errorOf: (body) => {
    const error = isRecord(body) && isRecord(body["error"]) ? body["error"] : null;
    const message = error?.["message"];
    return (isRecord(message) ? asText(message["value"]) : asText(message)) || null;
  },
};

function call<Answer extends z.ZodType>(
  { settings, credentials, input }: Context,
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
): OutboundRequest {
  const { username, password, clientSecret } = credentials;
  const grant = tokenGrant({
    url: at(settings.baseUrl, "identity/connect/token"),
    headers: {
      authorization: basic(settings.clientId, clientSecret),
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    },
    body: new URLSearchParams({
      grant_type: "password",
      username: `admin_${username}`,
      password,
      scope: "isc_admin_api offline_access",
    }).toString(),
    secretHeaders: ["authorization"],
  });
  return jsonRequest(
    { method, url: at(settings.baseUrl, `api/v1/admin/${path}`), headers: input ? messageHeaders(input) : {}, body, grant },
    answer,
    read,
    manners,
  );
}

const Found = z.object({
  value: z.array(
    z.object({
      id: z.string(),
      orderNumber: z.string(),
      orderLines: z.array(z.object({ erpNumber: Text, qtyOrdered: NeededAmount })).nullish(),
    }),
  ),
});

/** The shop's own orders are told what became of them; it takes no orders from elsewhere. */
function deliverOrder(delivery: Delivery<"order">): OutboundRequest {
  const { document } = delivery;
  const number = document.cancels ?? document.orderNumber;
  const query = new URLSearchParams({ $filter: `orderNumber eq '${number.replaceAll("'", "''")}'`, $select: "id,orderNumber", $top: "50" });
  if (document.kind === "cancellation") query.set("$expand", "orderLines");
  const states = { open: "Processing", completed: "Complete", cancelled: "Void" } as const;
  const status = document.kind === "cancellation" ? "Void" : states[document.status];
  return call(delivery, { method: "GET", path: `customerorders?${query.toString()}` }, Found, ({ value }) => {
    const found = value.find((order) => order.orderNumber === number);
    if (!found) return later("order-unknown", "the shop has no order with this number");
    const goods = (found.orderLines ?? []).map(({ erpNumber, qtyOrdered }) => ({ sku: erpNumber ?? "", quantity: qtyOrdered }));
    const part = document.kind === "cancellation" ? partTakenBack(document, goods) : null;
    if (part) return part;
    const path = `customerorders(${encodeURIComponent(found.id)})`;
    const body = { status, erpOrderNumber: document.orderNumber };
    return next(call(delivery, { method: "PATCH", path, body }, Anything, () => delivered(found.id)));
  });
}

const Line = z.object({
  line: Id,
  erpNumber: Text,
  productName: Text,
  description: Text,
  qtyOrdered: NeededAmount,
  unitNetPrice: NeededAmount,
  totalNetPrice: Amount,
  taxAmount: Amount,
});
const Order = z.object({
  orderNumber: Id,
  orderDate: z.string(),
  modifiedOn: Text,
  status: Text,
  customerNumber: Text,
  btFirstName: Text,
  btLastName: Text,
  btCompanyName: Text,
  btAddress1: Text,
  btAddress2: Text,
  btCity: Text,
  btState: Text,
  btPostalCode: Text,
  btCountry: Text,
  btEmail: Text,
  stCompanyName: Text,
  stAddress1: Text,
  stAddress2: Text,
  stCity: Text,
  stState: Text,
  stPostalCode: Text,
  stCountry: Text,
  currencyCode: z.string().min(1),
  shippingCharges: Amount,
  handlingCharges: Amount,
  otherCharges: Amount,
  taxAmount: Amount,
  orderTotal: Amount,
  notes: Text,
  orderLines: listOf(Line).nullish(),
});

const states = new Map<string | null, string>([
  ["complete", "completed"],
  ["void", "cancelled"],
  ["cancellation", "cancelled"],
]);

/**
 * The shop's orders begin as its visitors' carts, and stay among them whatever these become: saved, left, asked a price for, put up for approval.
 * https://support.optimizely.com/hc/en-us/articles/4413191648141-Cart-status-label-definitions
 */
const unplaced =
  /^(?:abandonedcart|alternatecart|awaitingapproval|cart|jobaccepted|pendingpaymentvalidation|punchout.*|quote.*|requisition.*|saved)(?:status)?$/i;

/**
 * Carriage and what else is charged for the order. What the lines leave of its tax is theirs, by what each costs; lines that don't tell their
 * own leave none.
 */
function costsOf({ currencyCode: currency, orderLines, taxAmount, ...order }: z.output<typeof Order>) {
  const costs = [
    { lineNumber: "shipping", kind: "shipping", amount: order.shippingCharges ?? "0" },
    { lineNumber: "handling", kind: "fee", amount: order.handlingCharges ?? "0" },
    { lineNumber: "other", kind: "fee", amount: order.otherCharges ?? "0" },
  ].filter(({ amount }) => !isZero(amount));
  const taxes = (orderLines ?? []).flatMap((line) => line.taxAmount ?? []);
  const rest =
    taxAmount === null || taxes.length < (orderLines ?? []).length ? null : subtractDecimals(taxAmount, addDecimals("0", ...taxes));
  const weights = costs.map(({ amount }) => (isNegative(amount) ? "0" : amount));
  const shares = rest === null || isNegative(rest) || weights.every(isZero) ? [] : splitDecimal(rest, weights, placesOfCurrency(currency));
  return costs.map(({ amount, ...cost }, index) => ({
    ...cost,
    sku: null,
    description: null,
    quantity: "1",
    unitPrice: money(amount, currency),
    tax: money(shares[index] ?? null, currency),
  }));
}

/**
 * What was taken off the order as a whole. No field tells it, but what the order comes to without it does; where a part of that isn't told,
 * neither is this. The order's tax is what was paid, so it takes off none.
 */
function discountOf({ currencyCode: currency, orderLines, orderTotal, taxAmount, ...order }: z.output<typeof Order>) {
  const parts = [taxAmount, ...(orderLines ?? []).map(({ totalNetPrice }) => totalNetPrice)];
  if (orderTotal === null || parts.includes(null)) return [];
  const charges = [order.shippingCharges, order.handlingCharges, order.otherCharges];
  const off = subtractDecimals(addDecimals("0", ...[...parts, ...charges].map((part) => part ?? "0")), orderTotal);
  if (isZero(off) || isNegative(off)) return [];
  const line = { lineNumber: "order-discount", kind: "discount", sku: null, description: null, quantity: "1" };
  return [{ ...line, unitPrice: money(off, currency) }];
}

function orderOf(order: z.output<typeof Order>): ReceivedDocument[] {
  if (unplaced.test(order.status ?? "")) return [];
  const currency = order.currencyCode;
  const document = {
    orderNumber: order.orderNumber,
    status: states.get(order.status?.toLowerCase() ?? null) ?? "open",
    orderedAt: utcTime(order.orderDate),
    updatedAt: utcTime(order.modifiedOn),
    currency,
    pricesIncludeTax: false,
    customer: { customerNumber: order.customerNumber, email: order.btEmail, name: joined(order.btFirstName, order.btLastName) },
    billingAddress: {
      name: joined(order.btFirstName, order.btLastName),
      company: order.btCompanyName,
      street: [order.btAddress1, order.btAddress2].filter((line) => line !== null),
      city: order.btCity,
      region: order.btState,
      postalCode: order.btPostalCode,
      ...country(order.btCountry),
    },
    shippingAddress: {
      company: order.stCompanyName,
      street: [order.stAddress1, order.stAddress2].filter((line) => line !== null),
      city: order.stCity,
      region: order.stState,
      postalCode: order.stPostalCode,
      ...country(order.stCountry),
    },
    lines: [
      ...(order.orderLines ?? []).flatMap((line) =>
        withRounding(
          {
            lineNumber: line.line,
            sku: line.erpNumber,
            description: line.productName ?? line.description,
            quantity: line.qtyOrdered,
            unitPrice: money(line.unitNetPrice, currency),
            tax: money(line.taxAmount, currency),
            total: money(line.totalNetPrice, currency),
          },
          line.totalNetPrice,
        ),
      ),
      ...costsOf(order),
      ...discountOf(order),
    ],
    totals: {
      shipping: money(order.shippingCharges, currency),
      tax: money(order.taxAmount, currency),
      total: money(order.orderTotal, currency),
    },
    note: order.notes,
  };
  return [{ entityType: "order", document }];
}

const pageSize = 50;

function pullOrders({ cursor, now, ...context }: Context & Pulling) {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) => {
      const query = new URLSearchParams({
        // Each visit makes a cart.
        $filter: `status ne 'Cart'${since === null ? "" : ` and modifiedOn ge ${since}`}`,
        $expand: "orderLines",
        $orderby: "modifiedOn",
        $top: String(pageSize),
        $skip: String((page - 1) * pageSize),
      });
      return call(context, { method: "GET", path: `customerorders?${query.toString()}` }, Anything, () => delivered());
    },
    manners,
    objectsOf: (body) => (isRecord(body) && Array.isArray(body["value"]) ? body["value"] : []),
    idOf: (order) => order["orderNumber"],
    changedAt: (order) => order["modifiedOn"],
  });
}

/** Optimizely Configured Commerce, Admin API (OData). */
export const optimizely = nativeConnector({
  code: "optimizely",
  settings: Settings,
  credentials: Credentials,
  unverified: [
    "field names of orders and lines, and the states Processing, Complete and Void",
    "tokens of the Admin API by password grant, the user name behind admin_",
    "limits of the rate are not documented; 429 is taken for one",
  ],
  deliver: { order: deliverOrder },
  receive: { order: translator<typeof Order, Settings>(Order, orderOf) },
  objectsOf: (payload) => (isRecord(payload) && Array.isArray(payload["value"]) ? payload["value"] : [payload].flat()),
  probe: (context) => call(context, { method: "GET", path: "customerorders?$top=1&$select=id" }, Anything, () => delivered()),
  pull: { order: pullOrders },
});
