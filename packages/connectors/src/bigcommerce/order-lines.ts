import type { Page, Pull } from "../connector.ts";
import { isRecord } from "../json.ts";
import { Anything, delivered, judge } from "../json-call.ts";
import { type Context, call, manners, partsMax } from "./call.ts";

type Fields = Record<string, unknown>;
type Asked = ReturnType<Pull["read"]>;

/** So many lines of a consignment come with its order, and no more. https://github.com/bigcommerce/docs/issues/960 */
const linesMax = 50;

/** Orders with all their lines: one that may have more of them than came with it is asked for them. */
export function withAllLines(context: Context, pull: Pull): Pull {
  return {
    request: pull.request,
    read: (response) => {
      const result = pull.read(response);
      return result.kind === "page" ? complete(context, result, 0) : result;
    },
  };
}

function complete(context: Context, page: Page, from: number): Asked {
  for (const [index, message] of page.messages.entries()) {
    if (index < from) continue;
    const order: unknown = JSON.parse(message.body);
    const consignments = consignmentsOf(order);
    const cut = consignments.find((consignment) => linesIn(consignment).length >= linesMax);
    if (!isRecord(order) || cut === undefined) continue;
    return askLines(context, `v2/orders/${String(order["id"])}/products`, [], (lines) => {
      const known = new Set(consignments.flatMap(linesIn).map(({ id }) => id));
      cut["line_items"] = [...linesIn(cut), ...lines.filter(({ id }) => !known.has(id))];
      const messages = page.messages.with(index, { ...message, body: JSON.stringify(order) });
      return complete(context, { ...page, messages }, index + 1);
    });
  }
  return page;
}

function consignmentsOf(order: unknown): Fields[] {
  const all = isRecord(order) && isRecord(order["consignments"]) ? order["consignments"] : {};
  const email = isRecord(all["email"]) ? all["email"]["gift_certificates"] : null;
  return [all["shipping"], all["pickups"], all["downloads"], email].flat().filter(isRecord);
}

function linesIn({ line_items: lines }: Fields): Fields[] {
  return [lines].flat().filter(isRecord);
}

function askLines(context: Context, path: string, earlier: Fields[], then: (lines: Fields[]) => Asked): Asked {
  const page = earlier.length / partsMax + 1;
  const request = call(context, { method: "GET", path: `${path}?limit=${partsMax}&page=${page}` }, Anything, () => delivered());
  const read = (body: unknown): Asked => {
    const found = Array.isArray(body) ? body.filter(isRecord) : [];
    const lines = [...earlier, ...found];
    return found.length === partsMax ? askLines(context, path, lines, then) : then(lines);
  };
  return { kind: "question", question: { request, read: (response) => judge(response, manners, {}, read) } };
}
