import type pg from "pg";
import type { Family, Sample } from "./text.ts";

export type QueueCounters = {
  tenant: string;
  subtenant: string;
  point: string;
  queue: string;
  added: number;
  delivered: number;
  failed: number;
  dead: number;
  superseded: number;
  depth: number;
  oldestSeconds: number;
  deadLetters: number;
  /** Whether its target is: nothing is delivered there then. */
  isPaused: boolean;
};
/** Bucket n: deliveries that took from 2^n to 2^(n+1) milliseconds. */
type LatencyCounter = { tenant: string; bucket: number; count: number };
type Place = { tenant: string; point: string };
type Counted = { settledTo: Date; queues: QueueCounters[]; latencies: LatencyCounter[]; cutOff: Place[] };

// One statement, so that all counters are of one moment. Numbers of this size are whole in JSON up to 2^53.
const countedSql = `
  select hub.metrics_settled_to() as "settledTo",
    (select coalesce(json_agg(json_build_object('tenant', tenant_code, 'subtenant', subtenant_code, 'point', point_code, 'queue', queue_name,
        'added', added, 'delivered', delivered, 'failed', failed, 'dead', dead, 'superseded', superseded, 'depth', depth, 'oldestSeconds', oldest_seconds,
        'deadLetters', dead_letters, 'isPaused', is_paused)), '[]') from hub.queue_counters()) as queues,
    (select coalesce(json_agg(json_build_object('tenant', tenant_code, 'bucket', bucket, 'count', count)), '[]') from hub.latency_counters()) as latencies,
    (select coalesce(json_agg(json_build_object('tenant', tenant_code, 'point', code)), '[]') from hub.cut_off_points()) as "cutOff"`;

/** What the metrics store counted of all tenants. The pool's role is the worker's. */
export async function readCounted(pool: pg.Pool): Promise<Counted> {
  const { rows } = await pool.query<Counted>(countedSql);
  const [counted] = rows;
  if (!counted) throw new Error("the metrics store gave no answer");
  return counted;
}

/** What one series stands for: a queue, or all of a tenant's queues that have none of their own. */
type Group = Omit<QueueCounters, keyof QueueLabels | "isPaused"> & { labels: QueueLabels };
type QueueLabels = Pick<QueueCounters, "tenant" | "subtenant" | "point" | "queue">;

const other = "other";

/** The oldest queues keep series of their own however many come after them; what is beyond `queuesMax` is one more queue of its tenant. */
function groupsOf(queues: readonly QueueCounters[], queuesMax: number): Group[] {
  const rest = new Map<string, Group>();
  const own = queues.flatMap(({ tenant, subtenant, point, queue, isPaused: _isPaused, ...figures }, index): Group[] => {
    if (index < queuesMax) return [{ labels: { tenant, subtenant, point, queue }, ...figures }];
    const sum = rest.get(tenant);
    rest.set(tenant, sum ? added(sum, figures) : { labels: { tenant, subtenant: other, point: other, queue: other }, ...figures });
    return [];
  });
  return [...own, ...rest.values()];
}

function added(sum: Group, more: Omit<Group, "labels">): Group {
  return {
    labels: sum.labels,
    added: sum.added + more.added,
    delivered: sum.delivered + more.delivered,
    failed: sum.failed + more.failed,
    dead: sum.dead + more.dead,
    superseded: sum.superseded + more.superseded,
    depth: sum.depth + more.depth,
    deadLetters: sum.deadLetters + more.deadLetters,
    oldestSeconds: Math.max(sum.oldestSeconds, more.oldestSeconds),
  };
}

const perQueue: { name: string; type: "counter" | "gauge"; help: string; value: (group: Group) => number }[] = [
  { name: "added_total", type: "counter", help: "Messages published to the queue.", value: ({ added: count }) => count },
  { name: "delivered_total", type: "counter", help: "Messages delivered.", value: ({ delivered }) => delivered },
  { name: "failed_attempts_total", type: "counter", help: "Attempts that failed.", value: ({ failed }) => failed },
  { name: "deaths_total", type: "counter", help: "Messages that became dead letters.", value: ({ dead }) => dead },
  { name: "superseded_total", type: "counter", help: "Messages overtaken by newer data.", value: ({ superseded }) => superseded },
  { name: "depth", type: "gauge", help: "Waiting messages, mean of the last minute that was looked at.", value: ({ depth }) => depth },
  {
    name: "oldest_seconds",
    type: "gauge",
    help: "Greatest age of the oldest waiting message in that minute.",
    value: ({ oldestSeconds }) => oldestSeconds,
  },
  { name: "dead_letters", type: "gauge", help: "Dead letters now, counted up to 100000.", value: ({ deadLetters }) => deadLetters },
];

export function queueFamilies({ settledTo, queues, latencies, cutOff }: Counted, queuesMax: number): Family[] {
  const groups = groupsOf(queues, queuesMax);
  // One target may have many queues.
  const paused = new Map(queues.filter(({ isPaused }) => isPaused).map((queue) => [keyOf(queue), queue]));
  return [
    ...perQueue.map(({ name, type, help, value }): Family => ({
      name: `crossdock_queue_${name}`,
      type,
      help,
      samples: groups.map((group) => ({ labels: group.labels, value: value(group) })),
    })),
    {
      name: "crossdock_open_circuits",
      type: "gauge",
      help: "Integration points whose target is left alone because it fails.",
      samples: countPoints(groups, cutOff),
    },
    {
      name: "crossdock_paused_targets",
      type: "gauge",
      help: "Integration points to which nothing is delivered, as somebody has paused or switched them off.",
      samples: countPoints(groups, paused.values()),
    },
    {
      name: "crossdock_delivery_latency_seconds",
      type: "histogram",
      help: "From a message's arrival in its queue to its delivery, waits and retries included. The sum is told from the buckets.",
      samples: histogram(latencies),
    },
    {
      name: "crossdock_metrics_settled_timestamp_seconds",
      type: "gauge",
      help: "Unix time up to which the counts are final.",
      samples: [{ labels: {}, value: Math.floor(settledTo.getTime() / 1000) }],
    },
  ];
}

const keyOf = ({ tenant, point }: Place): string => `${tenant} ${point}`;

/** By integration point, as its queues are told. */
function countPoints(groups: readonly Group[], places: Iterable<Place>): Sample[] {
  const samples = new Map(
    groups.map(({ labels: { tenant, subtenant, point } }) => [
      keyOf({ tenant, point }),
      { labels: { tenant, subtenant, point }, value: 0 },
    ]),
  );
  for (const place of places) {
    const sample = samples.get(keyOf(place)) ?? samples.get(keyOf({ tenant: place.tenant, point: other }));
    if (sample) sample.value += 1;
  }
  return [...samples.values()];
}

/** Each second bucket of the store, from 4 ms to 18 hours: enough for a percentile within a factor of four, and half the series. */
const boundsMs = Array.from({ length: 13 }, (_, index) => 4 ** (index + 1));

function histogram(latencies: readonly LatencyCounter[]): Sample[] {
  const tenants = Map.groupBy(latencies, ({ tenant }) => tenant);
  return [...tenants].flatMap(([tenant, buckets]): Sample[] => {
    const upTo = (ms: number): number => buckets.filter(({ bucket }) => 2 ** (bucket + 1) <= ms).reduce((sum, { count }) => sum + count, 0);
    const count = upTo(Infinity);
    // The middle of a bucket by its logarithm.
    const seconds = buckets.reduce((sum, { bucket, count: here }) => sum + (here * 2 ** (bucket + 0.5)) / 1000, 0);
    return [
      ...boundsMs.map((ms): Sample => ({ suffix: "_bucket", labels: { tenant, le: String(ms / 1000) }, value: upTo(ms) })),
      { suffix: "_bucket", labels: { tenant, le: "+Inf" }, value: count },
      { suffix: "_sum", labels: { tenant }, value: seconds },
      { suffix: "_count", labels: { tenant }, value: count },
    ];
  });
}
