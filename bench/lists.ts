import { countMessages, fillSearch, listMessages, publishStream, saveQueue, saveTarget, type NewMessage } from "@crossdock/queue";
import pg from "pg";
import { ownRow, percentile, type Row } from "./report.ts";
import { startBenchPostgres, type BenchPostgres } from "./servers.ts";

const bench = "lists";
const tenantId = 1;
const targets = 6;
const entityTypes = ["item", "price", "stock", "order"];
const samples = 200;
/** Values from console's own limits: a page of 50, counts capped at 10,001. */
const limit = 50;

type Filter = NonNullable<Parameters<typeof listMessages>[1]["filter"]>;
/** One list of the console, asked for in a slightly different way each time. */
type Question = { row: string; ask: (db: pg.ClientBase, round: number) => Promise<unknown>; p99Ms?: number; p50Ms?: number };

type Times = { p50: number; p99: number };

/** The console's lists over the engine's functions, as the app role with row-level security on, at two sizes. */
export async function benchLists({ sizes }: { sizes: number[] }, say: (line: string) => void): Promise<Row[]> {
  const postgres = await startBenchPostgres();
  try {
    const results: { size: number; times: Map<string, Times> }[] = [];
    for (const size of sizes) results.push({ size, times: await measureSize(postgres, size, say) });
    return toRows(results);
  } finally {
    await postgres.stop();
  }
}

async function measureSize(postgres: BenchPostgres, size: number, say: (line: string) => void): Promise<Map<string, Times>> {
  const database = await postgres.migratedDatabase();
  const owner = new pg.Pool({ connectionString: database.url, max: 1 });
  const worker = new pg.Pool({ connectionString: database.workerUrl, max: 4 });
  const app = new pg.Pool({ connectionString: database.appUrl, max: 2 });
  try {
    say(`${size.toLocaleString("en")} messages: publishing`);
    const queueIds = await makeQueues(owner);
    await publishStream(worker, makeMessages(queueIds, size), { batchSize: 2000 });
    say(`${size.toLocaleString("en")} messages: making them searchable`);
    await fillSearchFast(worker, owner);
    await owner.query("vacuum analyze");
    await postgres.settle();
    const times = new Map<string, Times>();
    for (const question of questions(queueIds, size)) times.set(question.row, await measure(app, question));
    return times;
  } finally {
    await owner.end();
    await worker.end();
    await app.end();
    await database.drop();
  }
}

/** With the index built afterwards, in seconds instead of minutes; the partitions get it from their parent. */
async function fillSearchFast(worker: pg.Pool, owner: pg.Pool): Promise<void> {
  const { rows } = await owner.query<{ definition: string }>("select pg_get_indexdef('queue.search_text_trigram'::regclass) as definition");
  await owner.query("drop index queue.search_text_trigram");
  while ((await fillSearch(worker, 5000)) === 5000);
  await owner.query((rows[0]?.definition ?? "").replace(" ON ONLY ", " ON "));
}

async function makeQueues(pool: pg.Pool): Promise<number[]> {
  const queueIds: number[] = [];
  for (let targetId = 1; targetId <= targets; targetId += 1) {
    await saveTarget(pool, { tenantId, targetId, concurrency: 8 });
    for (const type of entityTypes) {
      queueIds.push(await saveQueue(pool, { tenantId, targetId, name: `magento.${type}`, mode: "fifo", delivery: "push" }));
    }
  }
  return queueIds;
}

const words = ["oak", "linen", "stoneware", "brass", "birch", "wool", "walnut", "cotton", "glass", "ash"];

/** Documents of a few hundred bytes. Each holds a common word; one in 10,000 a rare one. */
async function* makeMessages(queueIds: number[], size: number): AsyncGenerator<NewMessage> {
  for (let n = 0; n < size; n += 1) {
    const queueId = queueIds[n % queueIds.length] ?? 0;
    const name = `table lamp ${words[n % words.length]} ${n % 10_000 === 77 ? `zephyrine ${n}` : n}`;
    const document = JSON.stringify({
      sku: `SKU-${n}`,
      name,
      brand: "Nordhem",
      categories: ["Lighting"],
      barcode: String(2_000_000_000_000 + n),
    });
    yield {
      tenantId,
      queueId,
      subtenantId: subtenantOf(n % queueIds.length),
      key: `SKU-${n}`,
      entityType: entityTypes[n % 4] ?? "item",
      source: "litium",
      document,
    };
  }
}

/** Of a queue, by its place: a subtenant has two of the six targets. */
function subtenantOf(place: number): number {
  return 1 + (Math.floor(place / entityTypes.length) % 3);
}

/** As the server does it: subtenant and entity type determine the queues. */
function queuesOf(queueIds: number[], subtenantId: number, entityType: string): number[] {
  return queueIds.filter((_, place) => subtenantOf(place) === subtenantId && entityTypes[place % entityTypes.length] === entityType);
}

function list(filter: Filter): (db: pg.ClientBase) => Promise<unknown> {
  return (db) => listMessages(db, { tenantId, filter, limit });
}

function questions(queueIds: number[], size: number): Question[] {
  const oneQueue = (round: number): Filter => ({ queueIds: [queueIds[round % queueIds.length] ?? 0] });
  return [
    { row: "first page, all queues", ask: list({}), p99Ms: 25 },
    { row: "first page, one queue", ask: (db, round) => listMessages(db, { tenantId, filter: oneQueue(round), limit }), p99Ms: 25 },
    { row: "by state ready", ask: list({ state: "ready" }), p99Ms: 25 },
    { row: "by subtenant and entity type", ask: list({ queueIds: queuesOf(queueIds, 2, "order") }), p99Ms: 25 },
    { row: "exact key", ask: (db, round) => list({ key: `SKU-${(round * 7919) % size}` })(db), p99Ms: 25 },
    { row: "deep page, half-way down", ask: deepPage(queueIds), p99Ms: 25 },
    { row: "count, capped", ask: (db) => countMessages(db, { tenantId, filter: {} }), p99Ms: 25 },
    {
      row: "count of a subtenant's orders",
      ask: (db) => countMessages(db, { tenantId, filter: { queueIds: queuesOf(queueIds, 2, "order") } }),
      p99Ms: 25,
    },
    { row: "search, rare word", ask: list({ search: "zephyrine" }), p50Ms: 10 },
    { row: "search, common word", ask: list({ search: "stoneware" }), p50Ms: 50 },
    { row: "search, common word and state", ask: list({ search: "stoneware", state: "ready" }), p50Ms: 50 },
    { row: "search, article number", ask: (db, round) => list({ search: `sku-${(round * 7919) % size}` })(db), p50Ms: 50 },
  ];
}

/** A page that begins in the middle of the list: the cursor is an id, so it is found by asking for it once. */
function deepPage(queueIds: number[]): Question["ask"] {
  let middle: string | null = null;
  return async (db, round) => {
    middle ??= await middleId(db);
    return listMessages(db, { tenantId, filter: { queueIds: [queueIds[round % queueIds.length] ?? 0] }, cursor: middle, limit });
  };
}

async function middleId(db: pg.ClientBase): Promise<string> {
  const { rows } = await db.query<{ id: string }>("select ((min(id) + max(id)) / 2)::text as id from queue.message where tenant_id = $1", [
    tenantId,
  ]);
  return rows[0]?.id ?? "0";
}

/** Times one question `samples` times after a warm-up, each in a transaction of its own, as the server asks. */
async function measure(app: pg.Pool, question: Question): Promise<Times> {
  const client = await app.connect();
  const times: number[] = [];
  try {
    for (let round = -20; round < samples; round += 1) {
      const started = performance.now();
      await client.query("begin");
      await client.query("select set_config('crossdock.tenant_id', $1, true)", [String(tenantId)]);
      await question.ask(client, round + 20);
      await client.query("commit");
      if (round >= 0) times.push(performance.now() - started);
    }
  } finally {
    client.release();
  }
  return { p50: percentile(times, 50), p99: percentile(times, 99) };
}

function toRows(results: { size: number; times: Map<string, Times> }[]): Row[] {
  const [smallest] = results;
  const largest = results.at(-1);
  if (smallest === undefined || largest === undefined) return [];
  return questions([], largest.size).flatMap(({ row, p50Ms, p99Ms }) => {
    const rows = results.flatMap(({ size, times }) => {
      const { p50, p99 } = times.get(row) ?? { p50: 0, p99: 0 };
      const at = `${row}, ${size.toLocaleString("en")}`;
      const isLargest = size === largest.size;
      return [
        ownRow(bench, `${at}, p50`, p50, "ms", isLargest && p50Ms !== undefined ? { atMost: p50Ms } : {}),
        ownRow(bench, `${at}, p99`, p99, "ms", isLargest && p99Ms !== undefined ? { atMost: p99Ms } : {}),
      ];
    });
    return [...rows, growth(row, smallest.times.get(row), largest.times.get(row))];
  });
}

/**
 * How much slower the larger size is, by the median: the p99 of a fraction of a millisecond is chance. Below 2 ms nobody can tell.
 */
function growth(row: string, small: Times | undefined, large: Times | undefined): Row {
  const ratio = Math.max(2, large?.p50 ?? 0) / Math.max(2, small?.p50 ?? 0);
  return ownRow(bench, `${row}, growth`, ratio, "times", { atMost: 2 });
}
