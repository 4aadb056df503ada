import type { Tokens } from "./tokens.ts";

export type Fields = Record<string, unknown>;

export type Call = {
  method: string;
  /** Behind the system's name. */
  path: string;
  query: URLSearchParams;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: string;
};

/** A text goes out as it is, anything else as JSON. */
export type Reply = { status: number; headers?: Record<string, string>; body: unknown };

/** One kind of commerce system: how it answers, how it throttles, and how it refuses behind a good status. */
export type Personality = {
  answer(call: Call): Reply;
  throttled(retryAfterSeconds: number | null): Reply;
  refusedSoftly(call: Call): Reply;
};

/** What a personality has to work with. */
export type Stage = { shelves: Shelves; tokens: Tokens; tokenSeconds: () => number };

export const emptyShelves = () => ({ kinds: new Map<string, Map<string, Fields>>(), last: 100 });
type ShelvesMemory = ReturnType<typeof emptyShelves>;

/** What a system has stored: objects by kind and key. */
export class Shelves {
  readonly #memory: ShelvesMemory;

  constructor(memory: ShelvesMemory) {
    this.#memory = memory;
  }

  of(kind: string): Map<string, Fields> {
    const known = this.#memory.kinds.get(kind) ?? new Map<string, Fields>();
    this.#memory.kinds.set(kind, known);
    return known;
  }

  /** A new object under an id of its own. */
  add(kind: string, fields: Fields): Fields & { id: number } {
    const id = this.nextId();
    const object = { ...fields, id };
    this.of(kind).set(String(id), object);
    return object;
  }

  /** Changes what is there and makes what is not. */
  merge(kind: string, key: string, fields: Fields): Fields {
    const object = { ...this.of(kind).get(key), ...fields };
    this.of(kind).set(key, object);
    return object;
  }

  find(kind: string, matches: (object: Fields) => boolean): Fields | undefined {
    return [...this.of(kind).values()].find(matches);
  }

  list(kind: string): Fields[] {
    return [...this.of(kind).values()];
  }

  nextId(): number {
    this.#memory.last += 1;
    return this.#memory.last;
  }

  counts(): Record<string, number> {
    return Object.fromEntries([...this.#memory.kinds].map(([kind, objects]) => [kind, objects.size]));
  }
}

type Handler = (call: Call, ...parts: string[]) => Reply;

/** Answers by the first route that fits; `:name` stands for one part of a path. */
export function routed(routes: Record<string, Handler>, otherwise: Reply): (call: Call) => Reply {
  const table = Object.entries(routes).map(([notation, handle]) => {
    const [method = "", path = ""] = notation.split(" ");
    const pattern = path.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/:[a-z]+/gi, "([^/]+)");
    return { method, pattern: new RegExp(`^${pattern}$`, "i"), handle };
  });
  return (call) => {
    for (const { method, pattern, handle } of table) {
      const parts = method === call.method ? pattern.exec(call.path)?.slice(1) : undefined;
      if (parts) return handle(call, ...parts.map(decodeURIComponent));
    }
    return otherwise;
  };
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.fromEntries(Object.entries(value)) : {};
}

export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.map(fieldsOf) : [];
}

export function jsonOf({ body }: Call): Fields {
  try {
    return fieldsOf(JSON.parse(body));
  } catch {
    return {};
  }
}

export function textOf(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? String(value) : "";
}

export function ok(body: unknown, status = 200): Reply {
  return { status, body };
}

/** Any secret is right but this one, so that wrong credentials can be tried. */
export function isWrong(secret: string | undefined): boolean {
  return secret === undefined || secret === "" || secret.includes("wrong");
}

/** Where a bearer token is asked for that the system itself has given out. */
export function hasToken({ headers }: Call, { tokens }: Stage): boolean {
  return tokens.has((headers["authorization"] ?? "").replace(/^Bearer /, ""));
}
