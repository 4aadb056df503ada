import { readFileSync } from "node:fs";
import type pg from "pg";
import parsePrometheus from "parse-prometheus-text-format";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import { StartError } from "../installation/start-error.ts";
import { fillQueues } from "../testing/queues.ts";
import { testApp, type TestApp } from "../testing/test-app.ts";
import { startMetricsListener, type MetricsListener } from "./listener.ts";
import { createMeter, type ProcessMeter } from "./process-meter.ts";
import { queueFamilies, type QueueCounters } from "./queue-metrics.ts";
import { contentType, familyText } from "./text.ts";

const token = "only for this test";
let made: TestApp;
let owner: pg.Pool;
let meter: ProcessMeter;
let listener: MetricsListener;

beforeAll(async () => {
  made = await testApp({ CROSSDOCK_METRICS_TOKEN: token });
  owner = made.pool("owner", 2);
  meter = createMeter(made.deps.pools);
  listener = await startMetricsListener(made.deps, 0, meter);
  await fillQueues(made, "acme");
  await fillQueues(made, "other");
  await made.deps.pools.worker.query("select hub.collect_metrics()");
});
afterAll(async () => {
  await listener.stop();
  await made.close();
});

const ask = (authorization: string | null, url = listener.url, method = "GET"): Promise<Response> =>
  fetch(url, { method, headers: authorization === null ? {} : { authorization } });

type Series = { labels?: Record<string, string>; value: string; buckets?: Record<string, string> };

async function read(): Promise<string> {
  const answer = await ask(`Bearer ${token}`);
  expect(answer.status).toBe(200);
  expect(answer.headers.get("content-type")).toBe(contentType);
  return answer.text();
}

const parsed = (text: string): Map<string, Series[]> => new Map(parsePrometheus(text).map(({ name, metrics }) => [name, metrics]));
const scrape = async (): Promise<Map<string, Series[]>> => parsed(await read());
/** The parser leaves the labels of histograms out. */
const linesOf = (text: string, name: string): string[] => text.split("\n").filter((line) => line.startsWith(name));

const sumOf = (series: Series[] | undefined, tenant?: string): number =>
  (series ?? [])
    .filter(({ labels }) => tenant === undefined || labels?.["tenant"] === tenant)
    .reduce((sum, { value }) => sum + Number(value), 0);

test("whoever has not the token learns nothing, and without one nobody else's machine is served", async () => {
  for (const wrong of [null, "Bearer", "Bearer wrong", token]) {
    const answer = await ask(wrong);
    expect([answer.status, await answer.text()]).toEqual([401, ""]);
  }
  expect((await ask(`Bearer ${token}`, new URL("/", listener.url).href)).status).toBe(404);
  expect((await ask(`Bearer ${token}`, listener.url, "POST")).status).toBe(405);
  const open = { CROSSDOCK_METRICS_PORT: "9464", CROSSDOCK_METRICS_HOST: "0.0.0.0" };
  expect(() => readConfig(open)).toThrow(StartError);
  expect(readConfig({ ...open, CROSSDOCK_METRICS_TOKEN: token })).toMatchObject({ metricsPort: 9464 });
});

test("probes need no token, and a process that starts or stops is alive and not ready", async () => {
  const other = await startMetricsListener(made.deps, 0, meter);
  const probe = async (path: string): Promise<unknown> => {
    const answer = await ask(null, new URL(path, other.url).href);
    return [answer.status, await answer.json()];
  };
  expect(await probe("/readyz")).toEqual([503, { status: "unavailable", detail: "The server is starting" }]);
  other.tellReady();
  expect(await probe("/readyz")).toMatchObject([200, { status: "ready" }]);
  other.tellStopping();
  expect(await probe("/readyz")).toEqual([503, { status: "unavailable", detail: "The server is stopping" }]);
  expect(await probe("/healthz")).toEqual([200, { status: "ok" }]);
  await other.stop();
});

test("a parser reads all of it, each name with its kind, and the counters are the store's", async () => {
  const found = await scrape();
  const { rows } = await owner.query<Record<string, number>>(
    `select sum(added)::int as added, sum(delivered)::int as delivered, sum(failed)::int as failed_attempts, sum(dead)::int as deaths
     from hub.metric where grain = 1`,
  );
  for (const [name, value] of Object.entries(rows[0] ?? {})) expect(sumOf(found.get(`crossdock_queue_${name}_total`))).toBe(value);
  expect(sumOf(found.get("crossdock_queue_added_total"), "acme")).toBe(4);
  expect(sumOf(found.get("crossdock_queue_dead_letters"), "acme")).toBe(1);
  expect(found.get("crossdock_queue_depth")?.map(({ labels }) => labels)).toContainEqual({
    tenant: "acme",
    subtenant: "shop",
    point: "queues",
    queue: "centra.order",
  });
  expect(sumOf(found.get("crossdock_metrics_store_up"))).toBe(1);
  expect(found.get("crossdock_pool_connections")?.length).toBe(6);
  expect(sumOf(found.get("process_resident_memory_bytes"))).toBeGreaterThan(0);
});

test("counters never fall: settled days move to the totals once, and pruning takes nothing from them", async () => {
  await owner.query(
    `insert into hub.metric (tenant_id, grain, queue_id, at, added, delivered, minutes)
     select tenant_id, 1440, id, date_bin('1 day', now(), 'epoch') - make_interval(days => ago), 100, 90, 1
     from queue.queue, unnest(array[1, 2, 2000]) as ago where tenant_id = 1001`,
  );
  await owner.query(
    `insert into hub.metric_latency (tenant_id, grain, queue_id, at, bucket, count)
     select tenant_id, 1440, id, date_bin('1 day', now(), 'epoch') - interval '1 day', unnest(array[0, 9, 27]), 30 from queue.queue where tenant_id = 1001`,
  );
  const before = await read();
  expect(sumOf(parsed(before).get("crossdock_queue_added_total"), "acme")).toBe(604);
  await owner.query("update hub.metric_progress set settled_to = now()");
  for (let times = 0; times < 2; times += 1) {
    await made.deps.pools.worker.query("select hub.total_metrics()");
    await made.deps.pools.worker.query("select hub.prune_metrics()");
  }
  expect((await owner.query("select from hub.metric where grain = 1440 and at < now() - interval '5 years'")).rowCount).toBe(0);
  const after = await read();
  for (const name of ["crossdock_queue_added_total", "crossdock_queue_delivered_total", "crossdock_delivery_latency_seconds"])
    expect(linesOf(after, name)).toEqual(linesOf(before, name));
  for (const [le, count] of [
    ["0.004", 60],
    ["1.024", 120],
    ["+Inf", 180],
  ])
    expect(after).toContain(`crossdock_delivery_latency_seconds_bucket{tenant="acme",le="${le}"} ${count}\n`);
  expect(after).toContain(`crossdock_delivery_latency_seconds_count{tenant="acme"} 180\n`);
});

test("what this process answers and tries is measured by route and outcome", async () => {
  meter.request("GET", "/api/v1/tenants/:tenantCode/metrics", 200, 0.03);
  meter.attempt("retry", 0.2);
  const text = await read();
  const request = `method="GET",route="/api/v1/tenants/:tenantCode/metrics",status="200"`;
  expect(text).toContain(`crossdock_http_request_duration_seconds_bucket{le="0.025",${request}} 0\n`);
  expect(text).toContain(`crossdock_http_request_duration_seconds_bucket{le="0.05",${request}} 1\n`);
  expect(text).toContain(`crossdock_delivery_attempt_duration_seconds_count{outcome="retry"} 1\n`);
});

const queue = (tenant: string, name: string): QueueCounters => ({
  tenant,
  subtenant: 'a "quoted" \\ name',
  point: "p",
  queue: name,
  added: 10,
  delivered: 5,
  failed: 1,
  dead: 1,
  superseded: 0,
  depth: 3,
  oldestSeconds: name.length,
  deadLetters: 2,
  isPaused: false,
});

test("however many queues there are, series are as many as configured and one for the rest of each tenant, with the same sums", () => {
  const queues = Array.from({ length: 5000 }, (_, index) => queue(index % 2 === 0 ? "even" : "odd", `q${index}`));
  const families = queueFamilies({ settledTo: new Date(0), queues, latencies: [], cutOff: [] }, 100);
  const told = parsed(families.map(familyText).join(""));
  const added = told.get("crossdock_queue_added_total");
  expect(added).toHaveLength(102);
  expect(sumOf(added)).toBe(50_000);
  expect(sumOf(added, "odd")).toBe(25_000);
  expect(added?.at(-1)?.labels).toMatchObject({ queue: "other" });
});

test("an open circuit names its integration point, and one whose queues have no series of their own counts with the rest of its tenant", () => {
  const queues = [
    { ...queue("acme", "centra.item"), point: "shop" },
    { ...queue("acme", "centra.stock"), point: "shop" },
    { ...queue("acme", "centra.item"), point: "outlet" },
    { ...queue("acme", "centra.item"), point: "young" },
  ];
  const cutOff = ["outlet", "young"].map((point) => ({ tenant: "acme", point }));
  const told = parsed(
    queueFamilies({ settledTo: new Date(0), queues, latencies: [], cutOff }, 3)
      .map(familyText)
      .join(""),
  );
  const open = told.get("crossdock_open_circuits")?.map(({ labels, value }) => [labels?.["tenant"], labels?.["point"], value]);
  expect(open).toEqual([
    ["acme", "shop", "0"],
    ["acme", "outlet", "1"],
    ["acme", "other", "1"],
  ]);
});

test("a circuit that is to be tried counts as open for as long as something waits for it", async () => {
  const openOf = async (circuit: string): Promise<number> => {
    await owner.query(
      "update queue.target set circuit = $1, circuit_open_until = case $1 when 'open' then now() + interval '1 hour' end where tenant_id = 1002",
      [circuit],
    );
    return sumOf((await scrape()).get("crossdock_open_circuits"), "other");
  };
  expect([await openOf("closed"), await openOf("open"), await openOf("half-open")]).toEqual([0, 1, 1]);
  await owner.query("delete from queue.ready where tenant_id = 1002");
  await owner.query("delete from queue.retrying where tenant_id = 1002");
  expect([await openOf("half-open"), await openOf("open"), await openOf("closed")]).toEqual([0, 1, 0]);
});

test("a target that is paused is told as such by its integration point, so that nobody is called for what waits there", async () => {
  const told: number[] = [];
  for (const isPaused of [false, true, false]) {
    await owner.query("update queue.target set is_paused = $1 where tenant_id = 1002", [isPaused]);
    told.push(sumOf((await scrape()).get("crossdock_paused_targets"), "other"));
  }
  expect(told).toEqual([0, 1, 0]);
});

test("every metric that the Grafana dashboard and the guide ask for is told, with every label that they ask by", async () => {
  meter.request("GET", "/api/v1/tenants/:tenantCode/metrics", 200, 0.03);
  meter.attempt("retry", 0.2);
  const labelsOf = new Map<string, Set<string>>();
  for (const [, name = "", labels = ""] of (await read()).matchAll(/^([a-z_0-9]+)(?:\{(.*)\})? /gm)) {
    const known = labelsOf.get(name) ?? new Set(["instance"]);
    labelsOf.set(name, known);
    for (const [, label = ""] of labels.matchAll(/([a-z_]+)="(?:[^"\\]|\\.)*"/g)) known.add(label);
  }
  const wrong: string[] = [];
  let queries = 0;
  // Each line of either file asks one query at most; the guide's table of metrics asks none.
  for (const line of ["grafana/crossdock.json", "monitoring.md"].flatMap((file) =>
    readFileSync(new URL(`../../../../docs/${file}`, import.meta.url), "utf8")
      .replaceAll('\\"', '"')
      .split("\n"),
  )) {
    const asked = [...line.matchAll(/\b((?:crossdock|process|nodejs)_[a-z_0-9]+)\b(?:\{([^}]*)\})?/g)];
    if (asked.length === 0 || line.startsWith("| `crossdock_")) continue;
    queries += 1;
    const here = new Set<string>();
    for (const [, name = "", selector = ""] of asked) {
      const known = labelsOf.get(name);
      if (!known) wrong.push(name);
      for (const label of known ?? []) here.add(label);
      for (const [, label = ""] of selector.matchAll(/([a-z_]+)(?:=~|!~|!=|=)"/g)) if (!known?.has(label)) wrong.push(`${name}{${label}}`);
    }
    const named = [...line.matchAll(/\b(?:by|without|on) \(([^)]*)\)|label_values\([a-z_]+, ([a-z_]+)\)/g)];
    for (const label of named.flatMap(([, list = "", one = ""]) => `${list},${one}`.split(",")).map((text) => text.trim()))
      if (label !== "" && !here.has(label)) wrong.push(`${label} in ${line.trim()}`);
  }
  expect(wrong).toEqual([]);
  expect(queries).toBeGreaterThan(25);
});

test("every name that the guide's table lists is told", async () => {
  const told = [...(await scrape()).keys()];
  const guide = readFileSync(new URL("../../../../docs/monitoring.md", import.meta.url), "utf8");
  const named = [...guide.matchAll(/`(crossdock_[a-z_0-9]+)`/g)].map(([, name = ""]) => name);
  expect(named.length).toBeGreaterThan(8);
  expect(named.filter((name) => !told.includes(name))).toEqual([]);
});

test("every panel of the Grafana dashboard has a unit, says what it shows, names its lines and has a place of its own", () => {
  type Panel = {
    id: number;
    type: string;
    title: string;
    description?: string;
    gridPos: { x: number; y: number; w: number; h: number };
    fieldConfig?: { defaults: { unit?: string } };
    targets?: { refId: string; legendFormat: string }[];
  };
  const text = readFileSync(new URL("../../../../docs/grafana/crossdock.json", import.meta.url), "utf8");
  const { panels } = JSON.parse(text) as { panels: Panel[] };
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)} ${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.filter(({ gridPos: { x, w } }) => x + w > 24)).toEqual([]);
  const drawn = panels.filter(({ type }) => type !== "row");
  expect(drawn.length).toBeGreaterThan(15);
  const isBare = ({ description, fieldConfig, targets }: Panel) =>
    !description || !fieldConfig?.defaults.unit || !targets?.length || targets.some(({ legendFormat }) => !legendFormat);
  expect(drawn.filter(isBare).map(({ title }) => title)).toEqual([]);
});
