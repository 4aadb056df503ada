import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startAppParts, type AppParts } from "../app-parts.ts";
import { createApp } from "../app.ts";
import { startDelivery, type RunningDelivery } from "../delivery/delivery.ts";
import type { Deps } from "../deps.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { startScheduler } from "../scheduler/scheduler.ts";
import { testDeps, type TestDeps } from "../testing/test-app.ts";
import { startOtlpReceiver, type ReceivedSpan } from "./otlp-receiver.ts";
import { startTracing, type RunningTracing } from "./tracing.ts";

let made: TestDeps;
let deps: Deps;
let receiver: Awaited<ReturnType<typeof startOtlpReceiver>>;
let tracing: RunningTracing;
let host: string;
let parts: AppParts;
let app: Awaited<ReturnType<typeof createApp>>;
let delivery: RunningDelivery;
let scheduler: { stop: () => Promise<void> };
let tenant: TestTenant;
const secret = "the password of the target";

/** Fails once, and takes everything after that. */
const arrived: IncomingHttpHeaders[] = [];
const target = createServer((request, response) => {
  request.resume().on("end", () => response.writeHead(arrived.push(request.headers) === 1 ? 500 : 200).end("{}"));
});

beforeAll(async () => {
  receiver = await startOtlpReceiver();
  target.listen(0, "127.0.0.1");
  await once(target, "listening");
  host = `127.0.0.1:${(target.address() as AddressInfo).port}`;
  made = await testDeps({
    CROSSDOCK_EGRESS_ALLOW: host,
    CROSSDOCK_SERVICE_ALLOW: new URL(receiver.url).host,
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
    OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20key",
    OTEL_SERVICE_NAME: "hub",
  });
  tracing = startTracing(made.deps.config, receiver.url, made.deps.logger);
  deps = { ...made.deps, tracing };
  parts = await startAppParts(deps);
  app = await createApp(deps, parts);
  tenant = await makeTenant(deps, made.ownerUrl, "traced", [
    { connector: "litium", code: "erp", sourceTypes: ["order"] },
    {
      connector: "centra",
      code: "shop",
      targetTypes: ["order"],
      settings: { url: `http://${host}/hidden-path` },
      credentials: { token: secret },
    },
  ]);
  delivery = await startDelivery(deps);
  scheduler = startScheduler(deps);
});
afterAll(async () => {
  await scheduler.stop();
  await delivery.stop();
  await app.close();
  await parts.stop();
  await tracing.stop();
  target.close();
  target.closeAllConnections();
  await receiver.stop();
  await made.close();
});

const order = (orderNumber: string) => ({
  orderNumber,
  status: "open",
  orderedAt: "2026-11-02T08:00:00Z",
  currency: "SEK",
  customer: null,
  note: "ring the bell",
  lines: [],
});

async function send(orderNumber: string, traceparent?: string): Promise<void> {
  const answer = await app.inject({
    method: "POST",
    url: `/hooks/${tenant.points["erp"]?.hookId}`,
    headers: { "content-type": "application/json", "x-crossdock-entity-type": "order", ...(traceparent && { traceparent }) },
    payload: order(orderNumber),
  });
  expect(answer.statusCode).toBe(202);
}

const spansOf = (traceId: string): ReceivedSpan[] =>
  receiver.spans.filter((span) => span.traceId === traceId).toSorted((one, other) => one.startMs - other.startMs);
const named = (spans: ReceivedSpan[], name: string): ReceivedSpan[] => spans.filter((span) => span.name.startsWith(name));
const isDelivered = ({ attributes }: ReceivedSpan): boolean => attributes["crossdock.outcome"] === "delivered";

test("a message is one trace, which its sender began, over its wait and each try to the target, which may continue it", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  await send("PAYLOAD-1", `00-${traceId}-b7ad6b7169203331-01`);
  await expect.poll(() => named(spansOf(traceId), "deliver").some(isDelivered)).toBe(true);

  const spans = spansOf(traceId);
  const [[received], [wait], tries, requests] = [
    named(spans, "receive litium"),
    named(spans, "wait centra.order"),
    named(spans, "deliver centra.order"),
    named(spans, "P"),
  ];
  expect(received?.parentId).toBe("b7ad6b7169203331");
  expect(received?.resource).toMatchObject({ "service.name": "hub" });
  expect(received?.attributes).toMatchObject({ "crossdock.state": "accepted", "crossdock.messages": 1, "crossdock.channel": "hook" });
  expect(wait?.parentId).toBe(received?.spanId);
  // Later tries are beside the first wait, as nobody knows then which span that was.
  expect(tries.map(({ parentId }) => parentId)).toEqual([wait?.spanId, ...tries.slice(1).map(() => received?.spanId)]);
  expect(tries[0]?.attributes).toMatchObject({ "crossdock.outcome": "retry", "crossdock.attempt": 1, "error.type": "http-500" });
  expect(requests.map(({ parentId }) => parentId)).toEqual(tries.map(({ spanId }) => spanId));
  expect(requests.at(-1)?.attributes).toMatchObject({ "http.response.status_code": 200, "server.address": host });
  expect(arrived.at(-1)?.["traceparent"]).toBe(`00-${traceId}-${requests.at(-1)?.spanId}-01`);
  expect(receiver.headers[0]).toMatchObject({ "x-key": "a key", ":path": "/v1/traces" });
});

test("a trace begins here when none was given, and nothing is traced that its sender doesn't trace", async () => {
  await send("PAYLOAD-2", `00-${"1".repeat(32)}-${"2".repeat(16)}-00`);
  await send("PAYLOAD-3", "nonsense");
  await expect.poll(() => arrived.length).toBe(4);
  await expect.poll(() => named(receiver.spans, "deliver").filter(({ traceId }) => !traceId.startsWith("0af765")).length).toBe(1);
  expect(spansOf("1".repeat(32))).toEqual([]);
  const owner = made.pool("owner", 1);
  const { rows } = await owner.query<{ key: string; isTraced: boolean }>(
    `select key, headers like '%traceparent%' as "isTraced" from queue.message order by id`,
  );
  expect(rows.map(({ isTraced }) => isTraced)).toEqual([true, false, true]);
});

test("traces hold no payload, no business key, no secret and no path of the target", () => {
  const text = receiver.text();
  expect(text).toContain("deliver centra.order");
  for (const hidden of ["PAYLOAD", "ring the bell", secret, "hidden-path", tenant.points["erp"]?.hookId ?? "?"])
    expect(text).not.toContain(hidden);
});
