import { Anything, delivered } from "../json-call.ts";
import { type Pulling, type Step, changesSince } from "../paging.ts";
import { type Context, call, manners } from "./call.ts";

type Changing = {
  path: string;
  /** What is asked besides the page: the order of the changes above all. */
  query: Record<string, string>;
  /** Name of the parameter for the time from which on. */
  sinceName: string;
  objectsOf: (body: unknown) => unknown[];
  changedAt: (object: Record<string, unknown>) => unknown;
};

/** Each of its orders may take two requests more. */
const pageSize = 40;

/** What of a list has changed since it was asked for last, the earliest change first. */
export function pullChanged({ cursor, now, ...context }: Context & Pulling, { path, query, sinceName, objectsOf, changedAt }: Changing) {
  return changesSince({
    cursor,
    now,
    pageSize,
    request: ({ since, page }: Step) => {
      const asked = { page: String(page), limit: String(pageSize), ...query, ...(since !== null && { [sinceName]: since }) };
      return call(context, { method: "GET", path: `${path}?${new URLSearchParams(asked).toString()}` }, Anything, () => delivered());
    },
    manners,
    objectsOf,
    idOf: (object) => object["id"],
    changedAt,
  });
}
