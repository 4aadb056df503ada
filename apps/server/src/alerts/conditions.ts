import type pg from "pg";
import { readOldestOrders, readStockAges } from "./delays.ts";
import { findFailedJobs } from "./job-conditions.ts";
import { findInQueues, findOutages, findOutagesOfAll } from "./queue-conditions.ts";
import type { Finding, Rule } from "./rule.ts";
import { readStreams } from "./streams.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** Kinds of rules that read much and change slowly. */
export const slowKinds: ReadonlySet<Rule["kind"]> = new Set(["silence", "order-unshipped", "stock-stale"]);

type Sight = { client: pg.ClientBase; worker: pg.Pool; tenantId: number; rule: Rule; now: Date };
type Find = (sight: Sight) => Promise<readonly Finding[] | null>;

const inQueues: Find = ({ client, tenantId, rule, now }) => findInQueues(client, tenantId, rule, now);
const finds: Record<Rule["kind"], Find> = {
  "dead-letters": inQueues,
  "dead-letters-rising": inQueues,
  "queue-age": inQueues,
  "circuit-open": ({ client, tenantId, rule }) => findOutages(client, tenantId, rule),
  outage: ({ worker, rule }) => findOutagesOfAll(worker, rule),
  "job-failed": ({ client, tenantId, rule, now }) => findFailedJobs(client, tenantId, rule, now),
  silence: ({ client, tenantId, rule, now }) => findSilence(client, tenantId, rule, now),
  "order-unshipped": ({ client, tenantId, rule, now }) => findUnshipped(client, tenantId, rule, now),
  "stock-stale": ({ client, tenantId, rule, now }) => findStaleStock(client, tenantId, rule, now),
};

/** The objects for which a rule's condition holds at this moment; null where that can't be told now. */
export const findAll = (sight: Sight): Promise<readonly Finding[] | null> => finds[sight.rule.kind](sight);

// Whether the metrics were collected within the last minutes and are not hours behind.
const countedSql = `
  select exists (select from hub.metric_mark where read_at > $1::timestamptz - interval '3 minutes')
    and exists (select from hub.metric_progress where settled_to > $1::timestamptz - interval '2 hours') as "isCounted"`;

/** While metrics are not being counted, silence is not the source's fault. */
async function findSilence(client: pg.ClientBase, tenantId: number, rule: Rule, now: Date): Promise<Finding[] | null> {
  const { rows } = await client.query<{ isCounted: boolean }>(countedSql, [now]);
  if (!rows[0]?.isCounted) return null;
  const streams = await readStreams(client, tenantId, { now, subtenantId: rule.subtenantId, entityType: rule.entityType });
  // A sum of fractions may be off by a fraction of a message.
  const silent = streams.filter(({ missed }) => missed >= rule.threshold - 1e-6);
  return silent.map(({ subtenantId, entityType, lastAt, missed, missedHours }) => ({
    object: `stream:${subtenantId}:${entityType}`,
    value: Math.floor((now.getTime() - lastAt.getTime()) / minuteMs),
    subtenantId,
    queueId: null,
    details: { entityType, oldest: lastAt.toISOString(), usualPerHour: Math.round((missed / missedHours) * 10) / 10 },
  }));
}

async function findUnshipped(client: pg.ClientBase, tenantId: number, rule: Rule, now: Date): Promise<Finding[]> {
  const oldest = await readOldestOrders(client, tenantId, rule.subtenantId);
  return oldest.flatMap(({ subtenantId, orderNumber, orderedAt, open }) => {
    const value = Math.floor((now.getTime() - Date.parse(orderedAt)) / hourMs);
    if (value < rule.threshold) return [];
    return [
      {
        object: `orders:${subtenantId}`,
        value,
        subtenantId,
        queueId: null,
        details: { name: orderNumber, oldest: orderedAt, waiting: open },
      },
    ];
  });
}

async function findStaleStock(client: pg.ClientBase, tenantId: number, rule: Rule, now: Date): Promise<Finding[]> {
  const ages = await readStockAges(client, tenantId, rule.subtenantId, now);
  return ages.flatMap(({ subtenantId, receivedAt }) => {
    const value = Math.floor((now.getTime() - receivedAt.getTime()) / hourMs);
    if (value < rule.threshold) return [];
    return [{ object: `stock:${subtenantId}`, value, subtenantId, queueId: null, details: { oldest: receivedAt.toISOString() } }];
  });
}
