import fc from "fast-check";
import type pg from "pg";
import { afterAll, beforeAll, expect, test } from "vitest";
import { testDatabase, type TestDatabase } from "@crossdock/db/testing";
import {
  claim,
  countMessages,
  fillSearch,
  listMessages,
  publish,
  saveQueue,
  saveTarget,
  scanMessages,
  settle,
  type MessageFilter,
  type NewMessage,
} from "./index.ts";
import type { PathStep, PayloadFilter, PayloadValue } from "./payload-filter.ts";
import { wordsOf } from "./search-words.ts";

// Random filters over random documents, against a model that reads them one by one.

let database: TestDatabase;
let worker: pg.Pool;
let app: pg.Pool;
const tenantId = 7;
let stored: Stored[];

type Fate = "waits" | "delivered" | "rejected" | "refused-twice";
type Stored = { id: string; key: string; document: string; subtenantId: number; fate: Fate };

const word = fc.constantFrom("oak", "lamp", "Linen", "xl", "85123A", "a b", 'say "hi"', "100%");
const decimal = fc.constantFrom("0", "-0.0", "5.00", "6", "-2.50", "85123.000", "007", "1e3", "5.");
const scalar = fc.oneof(word, decimal, fc.constantFrom(0, 5, -2.5, 85123), fc.boolean(), fc.constant(null));
const name = fc.constantFrom("sku", "lines", "ship to");
const tree = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    scalar,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(name, tie("value"), { maxKeys: 3 }),
  ),
})).value;
const document = fc.oneof(
  { weight: 9, arbitrary: fc.dictionary(name, tree, { minKeys: 1, maxKeys: 3 }).map((value) => JSON.stringify(value)) },
  // Neither can be cast to jsonb.
  { weight: 1, arbitrary: fc.constantFrom("oak, but no JSON", '{"sku": "oak\\u0000"}') },
);

const step: fc.Arbitrary<PathStep> = fc.oneof(
  name.map((known) => ({ kind: "member" as const, name: known })),
  fc.nat(2).map((index) => ({ kind: "element" as const, index })),
  fc.constant({ kind: "every" as const }),
);
const path = fc.tuple(name, fc.array(step, { maxLength: 2 })).map(([first, rest]) => [{ kind: "member" as const, name: first }, ...rest]);
const payload: fc.Arbitrary<PayloadFilter> = fc.oneof(
  fc.record({ path, comparison: fc.constantFrom("=" as const, "!=" as const), value: scalar }),
  fc.record({ path, comparison: fc.constantFrom(">" as const, "<" as const), value: fc.constantFrom(0, 5, "lamp") }),
  fc.record({ path, comparison: fc.constant("contains" as const), value: fc.constantFrom("A", "lin", "oak", "5123", "%") }),
);
const filter: fc.Arbitrary<MessageFilter> = fc.record(
  {
    payload,
    search: fc.constantFrom("oak", "xl", "lamp oak", '"a b"', "85123", "l", "100%", "k3"),
    subtenantId: fc.integer({ min: 1, max: 2 }),
    errorClass: fc.constantFrom("http-422", "http-503", "none"),
    httpStatus: fc.constantFrom(422, 503, 404),
    attemptsMin: fc.integer({ min: 0, max: 3 }),
    state: fc.constantFrom("ready" as const, "delivered" as const, "dead" as const, "retrying" as const),
  },
  { requiredKeys: [] },
);

beforeAll(async () => {
  database = await testDatabase();
  worker = database.pool("worker", 2);
  app = database.pool("app", 2);
  await saveTarget(worker, { tenantId, targetId: 1 });
  const queueId = await saveQueue(worker, { tenantId, targetId: 1, name: "shop.order", mode: "fifo", delivery: "pull" });
  const documents = fc.sample(document, { numRuns: 160, seed: 4 });
  const fates: Fate[] = ["waits", "delivered", "rejected", "refused-twice"];
  stored = documents.map((text, n) => ({ id: "", key: `k${n}`, document: text, subtenantId: 1 + (n % 2), fate: fates[n % 5] ?? "waits" }));
  const messages: NewMessage[] = stored.map(({ key, document: text, subtenantId }) => ({
    tenantId,
    queueId,
    subtenantId,
    key,
    entityType: "order",
    document: text,
  }));
  (await publish(worker, messages)).forEach((id, n) => Object.assign(stored[n] ?? {}, { id }));
  await deliver(queueId);
  while ((await fillSearch(worker, 5000)) > 0);
});
afterAll(() => database.drop());

const answered = (status: number) => ({ status, headers: {}, body: null });

/** Brings every message where its fate says; what waits is claimed and released again. */
async function deliver(queueId: number): Promise<void> {
  const fateOf = new Map(stored.map(({ id, fate }) => [id, fate]));
  const request = { method: "POST", url: "https://shop.example", headers: {}, body: null };
  const leases = await claim(worker, { tenantId, queueId, max: 1000, leaseSeconds: 600 });
  for (const { leaseToken, messageId } of leases) {
    const fate = fateOf.get(messageId);
    const attempt = { durationMs: 1, request, response: answered(200) };
    const failed = (status: number) => ({ ...attempt, response: answered(status), error: { class: `http-${status}`, message: "no" } });
    if (fate === "waits") await settle(worker, { tenantId, leaseToken, outcome: { kind: "released" } });
    if (fate === "delivered") await settle(worker, { tenantId, leaseToken, outcome: { kind: "delivered", attempt } });
    if (fate === "rejected") await settle(worker, { tenantId, leaseToken, outcome: { kind: "dead", attempt: failed(422) } });
    if (fate === "refused-twice")
      await settle(worker, { tenantId, leaseToken, outcome: { kind: "retry", retryAfterMs: 3_600_000, attempt: failed(503) } });
  }
}

const known: Record<Fate, { state: MessageFilter["state"]; status: number | null; attempts: number }> = {
  waits: { state: "ready", status: null, attempts: 0 },
  delivered: { state: "delivered", status: 200, attempts: 1 },
  rejected: { state: "dead", status: 422, attempts: 1 },
  "refused-twice": { state: "retrying", status: 503, attempts: 1 },
};

function isMatch(message: Stored, wanted: MessageFilter): boolean {
  const { state, status, attempts } = known[message.fate];
  const failedWith = status !== null && status !== 200 ? `http-${status}` : null;
  return (
    (wanted.state === undefined || wanted.state === state) &&
    (wanted.subtenantId === undefined || wanted.subtenantId === message.subtenantId) &&
    (wanted.attemptsMin === undefined || attempts >= wanted.attemptsMin) &&
    (wanted.httpStatus === undefined || status === wanted.httpStatus) &&
    (wanted.errorClass === undefined || failedWith === wanted.errorClass) &&
    (wanted.search === undefined || wordsOf(wanted.search).every((text) => textsOf(message).some((value) => value.includes(text)))) &&
    (wanted.payload === undefined || isPayloadMatch(message.document, wanted.payload))
  );
}

function textsOf({ key, document: text }: Stored): string[] {
  const scalars = (value: unknown): string[] => {
    if (typeof value === "object" && value !== null) return Object.values(value).flatMap(scalars);
    return typeof value === "string" || typeof value === "number" ? [String(value).toLowerCase()] : [];
  };
  return [key, ...(text.startsWith("{") ? scalars(JSON.parse(text)) : [text])];
}

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function isPayloadMatch(text: string, { path: steps, comparison, value }: PayloadFilter): boolean {
  if (!text.startsWith("{") || text.includes("\\u0000")) return false;
  let reached: unknown[] = [JSON.parse(text)];
  for (const step of steps) {
    reached = reached.flatMap((item) => {
      if (step.kind === "every") return listOf(item);
      if (step.kind === "element") return listOf(item).slice(step.index, step.index + 1);
      return listOf(item).flatMap((element) =>
        typeof element === "object" && element !== null && !Array.isArray(element) && Object.hasOwn(element, step.name)
          ? [Object.entries(element).find(([key]) => key === step.name)?.[1]]
          : [],
      );
    });
  }
  return reached.flatMap(listOf).some((item) => !Array.isArray(item) && compares(item, comparison, value));
}

function compares(item: unknown, comparison: PayloadFilter["comparison"], value: PayloadValue): boolean {
  if (typeof value === "number" && typeof item === "string" && /^-?(0|[1-9]\d*)(\.\d+)?$/.test(item)) {
    return compares(Number(item) + 0, comparison, value);
  }
  if (comparison === "=") return item === value;
  if (comparison === "!=") return item !== value;
  if (comparison === "contains") return typeof item === "string" && item.toLowerCase().includes(String(value).toLowerCase());
  if (typeof item === "number" && typeof value === "number") return comparison === ">" ? item > value : item < value;
  if (typeof item === "string" && typeof value === "string") return comparison === ">" ? item > value : item < value;
  return false;
}

async function asApp<Result>(run: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await app.connect();
  try {
    await client.query(`begin; set local crossdock.tenant_id = '${tenantId}'`);
    return await run(client);
  } finally {
    await client.query("rollback");
    client.release();
  }
}

test("a filter's list, its count and its scan are what a reader of every message would pick", async () => {
  await fc.assert(
    fc.asyncProperty(filter, async (wanted) => {
      const expected = stored
        .filter((message) => isMatch(message, wanted))
        .map(({ id }) => id)
        .toReversed();
      const list = await asApp((client) => listMessages(client, { tenantId, filter: wanted, limit: 500 }));
      expect(list.items.map((item) => item.messageId)).toEqual(expected);
      expect(await asApp((client) => countMessages(client, { tenantId, filter: wanted }))).toBe(expected.length);
      const scanned: string[] = [];
      for await (const { items } of scanMessages(asApp, { tenantId, filter: wanted, cursor: null, limit: () => 7 })) {
        scanned.push(...items.map((item) => item.messageId));
      }
      expect(scanned).toEqual(expected);
    }),
    { numRuns: 120 },
  );
});

test("a scan begun at a cursor finds what lies below it and nothing twice", async () => {
  const wanted: MessageFilter = { attemptsMin: 1 };
  const expected = stored
    .filter((message) => isMatch(message, wanted))
    .map(({ id }) => id)
    .toReversed();
  const found: string[] = [];
  let cursor: string | null = null;
  do {
    // One step of each scan, as if every one of them was cancelled after it.
    const { value } = await scanMessages(asApp, { tenantId, filter: wanted, cursor, limit: () => 10 }).next();
    found.push(...(value?.items ?? []).map((item: { messageId: string }) => item.messageId));
    cursor = value?.cursor ?? null;
  } while (cursor !== null);
  expect(found).toEqual(expected);
});
