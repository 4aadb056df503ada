import type { DeathCause, Incident, Overview, TenantOverview, Throughput, WorstQueue } from "@crossdock/contract";
import type { TenantState } from "./read-tenant.ts";
import { theWorst } from "./worst-queues.ts";

export type Seen = { code: string; name: string; state: TenantState };

const causesMax = 20;
const minuteMs = 60_000;
const minutesShown = 60;

/** Puts together what was seen of each tenant: what has one cause is one thing, and the worst comes first. */
export function overviewOf(seen: readonly Seen[], at: Date): Overview {
  return {
    at: at.toISOString(),
    throughput: throughputOf(seen, at),
    incidents: incidentsOf(seen),
    causes: causesOf(seen),
    missing: seen.flatMap(({ code, name, state }) => state.missing.map((one) => ({ tenantCode: code, tenantName: name, ...one }))),
    queues: queuesOf(seen),
    tenants: seen.map(tenantOf).toSorted((one, other) => severity(other) - severity(one) || one.name.localeCompare(other.name)),
  };
}

function tenantOf({ code, name, state }: Seen): TenantOverview {
  const { cutOff, causes: _causes, missing: _missing, minutes: _minutes, queues: _queues, ...figures } = state;
  return { code, name, ...figures, openCircuits: cutOff.length };
}

/** Minutes in which nothing happened have no rows. */
function throughputOf(seen: readonly Seen[], at: Date): Throughput[] {
  const known = Map.groupBy(
    seen.flatMap(({ state }) => state.minutes),
    (minute) => minute.at.getTime(),
  );
  const last = Math.floor(at.getTime() / minuteMs) * minuteMs;
  return Array.from({ length: minutesShown }, (_, index) => {
    const start = last - (minutesShown - 1 - index) * minuteMs;
    const sum = (key: "added" | "delivered" | "failed") => (known.get(start) ?? []).reduce((all, minute) => all + minute[key], 0);
    return { at: new Date(start).toISOString(), added: sum("added"), delivered: sum("delivered"), failed: sum("failed") };
  });
}

function queuesOf(seen: readonly Seen[]): WorstQueue[] {
  const queues = seen.flatMap(({ code, name, state }) => state.queues.map((queue) => ({ tenantCode: code, tenantName: name, ...queue })));
  return theWorst(queues).map(({ weight: _weight, ...queue }) => queue);
}

/** A target that is away weighs more than what died, that more than what fails, and all more than what only waits. */
function severity({ openCircuits, died, dead, failed, failingJobs, waiting }: TenantOverview): number {
  return (
    openCircuits * 1e9 +
    Math.min(died, 999) * 1e6 +
    failingJobs * 1e5 +
    Math.min(failed, 99_999) * 10 +
    Math.log10(1 + dead) +
    Math.log10(1 + waiting)
  );
}

function incidentsOf(seen: readonly Seen[]): Incident[] {
  const incidents = new Map<string, Incident>();
  for (const { code: tenantCode, name: tenantName, state } of seen) {
    for (const { target, retryAt, code, name, waiting } of state.cutOff) {
      const known = incidents.get(target) ?? { target, retryAt: null, waiting: 0, points: [] };
      const tried = [known.retryAt, retryAt?.toISOString() ?? null].filter((time) => time !== null);
      incidents.set(target, {
        target,
        retryAt: tried.toSorted()[0] ?? null,
        waiting: known.waiting + waiting,
        points: [...known.points, { tenantCode, tenantName, code, name, waiting }],
      });
    }
  }
  return [...incidents.values()].toSorted((one, other) => other.points.length - one.points.length || other.waiting - one.waiting);
}

function causesOf(seen: readonly Seen[]): DeathCause[] {
  const causes = new Map<string, DeathCause>();
  for (const { code, name, state } of seen) {
    for (const { count, ...cause } of state.causes) {
      const known = causes.get(cause.fingerprint) ?? { ...cause, count: 0, tenants: [] };
      causes.set(cause.fingerprint, { ...known, count: known.count + count, tenants: [...known.tenants, { code, name, count }] });
    }
  }
  return [...causes.values()].toSorted((one, other) => other.count - one.count).slice(0, causesMax);
}
