import type { Answer, Document, Operation } from "./fuzz.ts";

/** What the answers so far have told there is: ids and codes, by the list that they stand in. */
export type Known = {
  isCollection: (path: string) => boolean;
  learn: (operation: Operation, url: string, answer: Answer) => void;
  /** A value for a path's parameter; `draw`, from 0 to 1, says which. */
  ofParameter: (path: string, name: string, draw: number) => string | undefined;
  /** The body or query with ids that exist in the place of generated ones. */
  fillIn: <Filled>(fields: Filled, path: string, draw: () => number) => Filled;
};

/** Of each list so many are remembered; the newest stand for what is left of the others. */
const rememberedMax = 50;

const pick = (values: readonly string[] | undefined, draw: number): string | undefined => values?.[Math.floor(draw * values.length)];

export function createKnown({ paths }: Document): Known {
  /** The parameters that name a thing of a list, by the list's path. */
  const parameters = new Map<string, string>();
  for (const path of Object.keys(paths)) {
    for (const [whole, name = ""] of path.matchAll(/\/\{(\w+)\}/g)) {
      const place = path.slice(0, path.indexOf(whole));
      if (name !== "tenantCode" && place in paths) parameters.set(place, name);
    }
  }
  const remembered = new Map<string, string[]>();

  function remember(list: string, value: unknown): void {
    if (typeof value !== "string" && typeof value !== "number") return;
    const values = (remembered.get(list) ?? []).filter((one) => one !== String(value));
    remembered.set(list, [...values, String(value)].slice(-rememberedMax));
  }

  /** What is gone by now is not asked for again and again. */
  function forget(path: string, url: string): void {
    const [template, asked] = [path.split("/"), url.split("?")[0]?.split("/") ?? []];
    const place = template.findLastIndex((part) => part.startsWith("{"));
    const value = decodeURIComponent(asked[place] ?? "");
    const list = template.slice(0, place).join("/");
    remembered.set(
      list,
      (remembered.get(list) ?? []).filter((one) => one !== value),
    );
  }

  const ofList = (list: string, draw: number): string | undefined => pick(remembered.get(list), draw);

  /** By the name alone, wherever it stands: integrationPointId, subtenant, messageId. */
  function ofName(name: string, draw: number): string | undefined {
    const lists = [...parameters].filter(([, parameter]) => parameter === name || parameter === `${name}Code`).map(([list]) => list);
    return pick(
      lists.flatMap((list) => remembered.get(list) ?? []),
      draw,
    );
  }

  const listAbove = (path: string): string | undefined => [...remembered.keys()].filter((list) => path.startsWith(`${list}/`)).at(-1);

  function filled(name: string, value: unknown, path: string, draw: () => number): unknown {
    if (name === "ids" && Array.isArray(value)) {
      const list = listAbove(path);
      const one = list === undefined ? undefined : ofList(list, draw());
      return one === undefined ? value : [typeof value[0] === "number" ? Number(one) : one];
    }
    const real = typeof value === "string" || typeof value === "number" ? ofName(name, draw()) : undefined;
    return real === undefined ? value : typeof value === "number" ? Number(real) : real;
  }

  return {
    isCollection: (path) => parameters.has(path),
    learn({ path }, url, { status, body }) {
      // What other tenants have, and have not, says nothing of this one.
      if (!url.startsWith("/api/v1/") || (path.includes("{tenantCode}") && !url.includes("/acme"))) return;
      if (status === 404) return forget(path, url);
      if (status >= 300) return;
      const answered = parsed(body);
      for (const one of [answered, ...listIn(answered)]) {
        const { id, code } = one;
        if (parameters.has(path)) remember(path, parameters.get(path)?.endsWith("Code") ? code : id);
        // Dead letters and their like are messages: what one may do with them is named by their ids.
        else if (listIn(answered).length > 0) remember(path, id);
      }
    },
    ofParameter: (path, name, draw) => ofList(path.slice(0, path.indexOf(`/{${name}}`)), draw) ?? ofName(name, draw),
    fillIn(fields, path, draw) {
      if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return fields;
      return { ...fields, ...Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, filled(name, value, path, draw)])) };
    },
  };
}

type Row = Record<string, unknown>;

function listIn({ items }: Row): Row[] {
  return Array.isArray(items) ? items.filter((item): item is Row => typeof item === "object" && item !== null) : [];
}

function parsed(body: string): Row {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === "object" && value !== null ? (value as Row) : {};
  } catch {
    return {};
  }
}
