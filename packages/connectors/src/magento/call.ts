import type { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { type Dead, type OutboundRequest, type TokenGrant, type Verdict, dead, incomplete, messageHeaders } from "../connector.ts";
import { asText } from "../foreign.ts";
import { at } from "../forms.ts";
import { isRecord } from "../json.ts";
import { type Call, type Manners, type Meanings, delivered, jsonRequest, next, stillWorking } from "../json-call.ts";
import type { Delivery as NativeDelivery } from "../native.ts";
import { tokenGrant } from "../token-grant.ts";
import type { Credentials, Settings } from "./settings.ts";

export type Delivery<Type extends EntityType> = NativeDelivery<Type, Settings, Credentials>;
export type Context = { settings: Settings; credentials: Credentials };

/** An error's text holds places for its parameters: `%1` or `%fieldName`. */
function errorOf(body: unknown): string | null {
  if (!isRecord(body) || typeof body["message"] !== "string") return null;
  const own = filled(body["message"], body["parameters"]);
  const inner = Array.isArray(body["errors"]) ? body["errors"].map(errorOf).filter((text) => text !== null) : [];
  return [own, ...inner].join(": ");
}

/** Parameters in a list fill numbered places by their number. Named ones are filled in the order in which each stands last, which is the list's. */
function filled(message: string, parameters: unknown): string {
  const places = /%([A-Za-z0-9_]+)/g;
  const names = [...new Set([...message.matchAll(places)].map(([, name = ""]) => name).toReversed())].toReversed();
  const named = Array.isArray(parameters)
    ? names.map((name, index) => [name, parameters[/^\d+$/.test(name) ? Number(name) - 1 : index]] as const)
    : Object.entries(isRecord(parameters) ? parameters : {});
  const table = new Map<string, unknown>(named);
  return message.replace(places, (place, name: string) => asText(table.get(name)) || place);
}

/** Prices and source items answer 200 with a list of what was refused. */
export const manners: Manners = {
  errorOf,
  failureOf: (body) => {
    const texts = Array.isArray(body) ? body.map(errorOf).filter((text) => text !== null) : [];
    return texts.length === 0 ? null : dead("refused", texts.join("; ").slice(0, 500));
  },
};

/** One call of the store's REST API; `prefix` is for its asynchronous twin. */
export function call<Answer extends z.ZodType>(
  context: Context & { input?: Parameters<typeof messageHeaders>[0] },
  { method, path, body }: Call,
  answer: Answer,
  read: (answer: z.output<Answer>) => Verdict,
  meanings: Meanings = {},
): OutboundRequest {
  const { settings, credentials, input } = context;
  const { accessToken } = credentials;
  const grant = accessToken === undefined ? adminToken(context) : undefined;
  return jsonRequest(
    {
      method,
      url: at(settings.baseUrl, `rest/${settings.storeCode}/${path}`),
      headers: { ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }), ...(input && messageHeaders(input)) },
      secretHeaders: ["authorization"],
      body,
      ...(grant && { grant }),
    },
    answer,
    read,
    manners,
    meanings,
  );
}

export function isComplete({ accessToken, username, password }: Credentials): Dead | null {
  if (accessToken !== undefined || (username !== undefined && password !== undefined)) return null;
  // Either way serves; of one that is begun what is left is told.
  if (username !== undefined || password !== undefined) return incomplete("credentials", { username, password });
  return { ...dead("configuration", "credentials: accessToken, or username and password, missing"), fields: ["accessToken"] };
}

/** The answer is the token as a bare JSON text. */
function adminToken({ settings, credentials }: Context): TokenGrant {
  const { username, password } = credentials;
  return tokenGrant(
    {
      url: at(settings.baseUrl, `rest/${settings.storeCode}/V1/integration/admin/token`),
      headers: { accept: "application/json", "content-type": "application/json" },
      body: JSON.stringify({ username, password }),
      secretHeaders: [],
    },
    (answer) => ({ token: answer }),
  );
}

/** A list of the store, which is null where it would be empty. */
export function listOf<Item extends z.ZodType>(item: Item) {
  const items = z.array(item).nullable();
  return z.object({ items: items.transform((found) => found ?? []) });
}

/**
 * Conditions that must all hold, and the order of the answer. A list that is read in pages is ordered to the last by something unique: where
 * two are alike in all of it, the store's database may change their order from page to page, and one of them would be on none.
 * https://dev.mysql.com/doc/refman/8.0/en/limit-optimization.html
 */
export function searchCriteria(
  conditions: [field: string, condition: string, value: string][],
  pageSize: number,
  page = 1,
  sortBy: readonly string[] = [],
): string {
  const query = new URLSearchParams();
  for (const [index, [field, condition, value]] of conditions.entries()) {
    const filter = `searchCriteria[filter_groups][${index}][filters][0]`;
    query.set(`${filter}[field]`, field);
    query.set(`${filter}[value]`, value);
    query.set(`${filter}[condition_type]`, condition);
  }
  for (const [index, field] of sortBy.entries()) {
    query.set(`searchCriteria[sortOrders][${index}][field]`, field);
    query.set(`searchCriteria[sortOrders][${index}][direction]`, "ASC");
  }
  query.set("searchCriteria[pageSize]", String(pageSize));
  query.set("searchCriteria[currentPage]", String(page));
  return query.toString();
}

const Accepted = z.object({ bulk_uuid: z.string(), errors: z.boolean().nullish() });
const Operations = z.object({
  operations_list: z.array(z.object({ status: z.int(), result_message: z.string().nullish() })).min(1),
});

/** Hands work in and looks for its result: complete, failed and worth another try, failed for good, open, rejected. */
export function handIn(
  context: Context & { input: Parameters<typeof messageHeaders>[0] },
  work: Call,
  externalId: string,
): OutboundRequest {
  const ask = (bulkId: string, round: number): OutboundRequest =>
    call(
      context,
      { method: "GET", path: `V1/bulk/${encodeURIComponent(bulkId)}/status` },
      Operations,
      ({ operations_list: [operation] }) => {
        const text = operation?.result_message ?? "no reason given";
        switch (operation?.status) {
          case 1:
            return delivered(externalId);
          case 2:
            return { kind: "retry", error: { class: "failed-retriable", message: text.slice(0, 500) }, isTargetFault: true };
          case 4:
            return stillWorking((following) => ask(bulkId, following), round);
          default:
            return dead("failed-for-good", text.slice(0, 500));
        }
      },
    );
  return call(context, { ...work, path: `async/${work.path}` }, Accepted, ({ bulk_uuid: bulkId }) => next(ask(bulkId, 0), 100));
}

/** Times of the store are UTC without a zone. */
export function storeTime(time: string): string {
  return new Date(time).toISOString().slice(0, 19).replace("T", " ");
}
