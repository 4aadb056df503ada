import { collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Pools } from "../db.ts";
import type { Meter } from "../meter.ts";
import { version } from "../version.ts";

export type ProcessMeter = Meter & { text: () => Promise<string> };

const secondsBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What this process knows of itself: memory, event loop, pools, requests by route, attempts at delivery. */
export function createMeter(pools: Pools): ProcessMeter {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  // Gauges that promtool refuses for being named like counters; the same are there by type.
  for (const kind of ["handles", "requests", "resources"]) registry.removeSingleMetric(`nodejs_active_${kind}_total`);
  const build = new Gauge({
    name: "crossdock_build_info",
    help: "1, with the version of this process.",
    labelNames: ["version"],
    registers,
  });
  build.set({ version }, 1);
  const connections = new Gauge({
    name: "crossdock_pool_connections",
    help: "Database connections of this process by pool and state.",
    labelNames: ["pool", "state"],
    registers,
    collect: () => {
      for (const [pool, { totalCount, idleCount }] of Object.entries(pools)) {
        connections.set({ pool, state: "idle" }, idleCount);
        connections.set({ pool, state: "busy" }, totalCount - idleCount);
      }
    },
  });
  const waiting = new Gauge({
    name: "crossdock_pool_waiting",
    help: "Calls that wait for a connection of the pool.",
    labelNames: ["pool"],
    registers,
    collect: () => {
      for (const [pool, { waitingCount }] of Object.entries(pools)) waiting.set({ pool }, waitingCount);
    },
  });
  const requests = new Histogram({
    name: "crossdock_http_request_duration_seconds",
    help: "Requests that this process answered, by route as the API's description names it.",
    labelNames: ["method", "route", "status"],
    buckets: secondsBounds,
    registers,
  });
  const attempts = new Histogram({
    name: "crossdock_delivery_attempt_duration_seconds",
    help: "Attempts at delivery by this process, by what became of them.",
    labelNames: ["outcome"],
    buckets: secondsBounds,
    registers,
  });
  return {
    request: (method, route, status, seconds) => requests.observe({ method, route, status }, seconds),
    attempt: (outcome, seconds) => attempts.observe({ outcome }, seconds),
    text: () => registry.metrics(),
  };
}
