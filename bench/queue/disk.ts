import { fillSearch, publish, type NewMessage } from "@crossdock/queue";
import type pg from "pg";
import type { BenchPostgres } from "../servers.ts";
import { openEngine, startWorker, type Place } from "./crossdock.ts";

const batch = 1000;
const lines = 10;
const words = ["oak", "linen", "stoneware", "brass", "birch", "wool", "walnut", "cotton", "glass", "ash", "table", "lamp", "chair"];

/** Bytes on disk that a message of 1 KB leaves for as long as it is kept: itself, its history, its search text, and all of their indexes. */
export async function measureDisk(postgres: BenchPostgres, count: number): Promise<number> {
  const engine = await openEngine(postgres);
  const place = await engine.addPlace(1);
  try {
    const before = await sizeOfWhatIsKept(engine.pool);
    for (let from = 0; from < count; from += batch)
      await publish(
        engine.pool,
        Array.from({ length: batch }, (_, index) => orderOf(place, from + index)),
      );
    await deliverAll(engine.pool, count);
    while ((await fillSearch(engine.pool, 5000)) > 0);
    return ((await sizeOfWhatIsKept(engine.pool)) - before) / count;
  } finally {
    await engine.close();
  }
}

async function deliverAll(pool: pg.Pool, count: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  let handled = 0;
  const worker = await startWorker(pool, () => {
    if ((handled += 1) === count) done.resolve();
  });
  await done.promise;
  await worker.stop();
}

/** Unlike the documents of the other measurements no two say the same: what a search index takes depends on that. */
function orderOf(place: Place, n: number): NewMessage {
  const document = JSON.stringify({
    order: `SO-${1_000_000 + n}`,
    customer: { number: `C-${(n * 7919) % 50_000}`, name: `${wordOf(n)} ${wordOf(n * 31)} ${n % 997}`, country: "SE" },
    lines: Array.from({ length: lines }, (_, line) => ({
      sku: `SKU-${(n * 613 + line * 7907) % 20_000}`,
      name: `${wordOf(n + line)} ${wordOf(n * 17 + line * 5)}`,
      quantity: 1 + ((n + line) % 9),
      price: (((n * 37 + line * 911) % 90_000) / 100).toFixed(2),
    })),
    note: `${wordOf(n * 3)} ${wordOf(n * 7)} ${wordOf(n * 11)}`,
  });
  return { ...place, subtenantId: 1, key: `SO-${1_000_000 + n}`, entityType: "order", document: document.padEnd(1024) };
}

function wordOf(n: number): string {
  return words[n % words.length] ?? "";
}

/** Tables by day: what waits is elsewhere and its place is used again. */
async function sizeOfWhatIsKept(pool: pg.Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(
    `select sum(pg_total_relation_size(tree.relid)) as bytes
     from queue.day_partitioned kept cross join lateral pg_partition_tree(kept.parent::regclass) tree where kept.parent like 'queue.%'`,
  );
  return Number(rows[0]?.bytes ?? 0);
}
