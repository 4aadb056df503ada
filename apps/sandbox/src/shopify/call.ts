/** An object as Shopify's REST API shows it. */
export type Resource = Record<string, unknown> & { id: number; created_at: string; updated_at: string };
export type Fields = Record<string, unknown>;

export type Call = { ids: number[]; query: URLSearchParams; body: Fields };
export type Reply = { status: number; answer: unknown; headers?: Record<string, string> };

export function ok(answer: unknown, status = 200): Reply {
  return { status, answer };
}

export const notFound: Reply = { status: 404, answer: { errors: "Not Found" } };

/** A validation failure in Shopify's form: field → list of messages. */
export function invalid(errors: Record<string, string[]> | string): Reply {
  return { status: 422, answer: { errors } };
}

/** The object under its wrapper ({"product": {…}}), or the refusal when it is not there. */
export function wrapped(body: Fields, name: string): Fields | null {
  const value = body[name];
  return isFields(value) ? value : null;
}

export function missing(name: string): Reply {
  return { status: 400, answer: { errors: { [name]: "Required parameter missing or invalid" } } };
}

export function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function fieldsIn(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

export function textOf(value: unknown, otherwise = ""): string {
  return typeof value === "string" ? value : typeof value === "number" ? String(value) : otherwise;
}

export function limitOf(query: URLSearchParams): number {
  return Math.min(Number(query.get("limit") ?? 50) || 50, 250);
}

/** Amounts come as text or number and are shown as text with two places or more. */
export function moneyOf(value: unknown): string {
  const amount = textOf(value);
  if (!/^-?[0-9]+(\.[0-9]+)?$/.test(amount)) return "0.00";
  const [whole = "0", fraction = ""] = amount.split(".");
  return `${whole}.${fraction.padEnd(2, "0")}`;
}

/** Ids beyond 2^31, as the real ones are. */
export class Ids {
  readonly #memory: { last: number };

  constructor(memory: { last: number }) {
    this.#memory = memory;
  }

  next(): number {
    this.#memory.last += 1;
    return this.#memory.last;
  }
}

/** One kind of object: made, changed and listed the way all of Shopify's REST resources are. */
export class Table {
  readonly rows: Map<number, Resource>;
  readonly #ids: Ids;

  constructor(ids: Ids, rows: Map<number, Resource>) {
    this.#ids = ids;
    this.rows = rows;
  }

  create(fields: Fields): Resource {
    const now = new Date().toISOString().replace(/\.\d+Z$/, "+00:00");
    const row = { ...fields, id: this.#ids.next(), created_at: now, updated_at: now };
    this.rows.set(row.id, row);
    return row;
  }

  update(row: Resource, fields: Fields): Resource {
    const { id, created_at } = row;
    return Object.assign(row, fields, { id, created_at, updated_at: new Date().toISOString().replace(/\.\d+Z$/, "+00:00") });
  }

  get(id: number | undefined): Resource | undefined {
    return id === undefined ? undefined : this.rows.get(id);
  }

  /** By ids, since_id, updated_at_min and any of the named fields, at most 250. */
  list(query: URLSearchParams, ...filters: string[]): Resource[] {
    const ids = query.get("ids")?.split(",").map(Number);
    const sinceId = Number(query.get("since_id") ?? 0);
    const updatedAtMin = Date.parse(query.get("updated_at_min") ?? "");
    const limit = limitOf(query);
    const found: Resource[] = [];
    for (const row of this.rows.values()) {
      if (ids && !ids.includes(row.id)) continue;
      if (row.id <= sinceId || Date.parse(row.updated_at) < updatedAtMin) continue;
      if (filters.some((name) => query.has(name) && textOf(row[name]) !== query.get(name))) continue;
      if (found.push(row) === limit) break;
    }
    return found;
  }
}
