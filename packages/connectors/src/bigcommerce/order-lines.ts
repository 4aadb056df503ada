import type { Page } from "../connector.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered, judge } from "../json-call.ts";
import type { Asked } from "../paging.ts";
import { type Context, call, manners, partsMax } from "./call.ts";

type Fields = Record<string, unknown>;

/** So many lines of a consignment come with its order, and no more. https://github.com/bigcommerce/docs/issues/960 */
const linesMax = 50;

/** Goes on with orders that have all their lines: one that may have more of them than came with it is asked for them. */
export function withAllLines(context: Context, page: Page, then: (page: Page) => Asked): Asked {
  return complete(context, page, 0, then);
}

function complete(context: Context, page: Page, from: number, then: (page: Page) => Asked): Asked {
  for (const [index, message] of page.messages.entries()) {
    if (index < from) continue;
    const order: unknown = JSON.parse(message.body);
    const consignments = consignmentsOf(order);
    const cut = consignments.find((consignment) => linesIn(consignment).length >= linesMax);
    if (!isRecord(order) || cut === undefined) continue;
    return askAll(context, `v2/orders/${String(order["id"])}/products`, [], (lines) => {
      const known = new Set(consignments.flatMap(linesIn).map(({ id }) => id));
      cut["line_items"] = [...linesIn(cut), ...lines.filter(({ id }) => !known.has(id))];
      const messages = page.messages.with(index, { ...message, body: JSON.stringify(order) });
      return complete(context, { ...page, messages }, index + 1, then);
    });
  }
  return then(page);
}

export function linesOf(order: unknown): Fields[] {
  return consignmentsOf(order).flatMap(linesIn);
}

function consignmentsOf(order: unknown): Fields[] {
  const all = isRecord(order) && isRecord(order["consignments"]) ? order["consignments"] : {};
  const email = isRecord(all["email"]) ? all["email"]["gift_certificates"] : null;
  return [all["shipping"], all["pickups"], all["downloads"], email].flat().filter(isRecord);
}

function linesIn({ line_items: lines }: Fields): Fields[] {
  return [lines].flat().filter(isRecord);
}

/** All parts of an order, behind those that came before. */
export function askAll(context: Context, path: string, earlier: Fields[], then: (parts: Fields[]) => Asked): Asked {
  const page = earlier.length / partsMax + 1;
  const request = call(context, { method: "GET", path: `${path}?limit=${partsMax}&page=${page}` }, Anything, () => delivered());
  const read = (body: unknown): Asked => {
    const found = Array.isArray(body) ? body.filter(isRecord) : [];
    const parts = [...earlier, ...found];
    return found.length === partsMax ? askAll(context, path, parts, then) : then(parts);
  };
  return { kind: "question", question: { request, read: (response) => judge(response, manners, {}, read) } };
}
