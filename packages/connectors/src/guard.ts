import { ZodError } from "zod";
import { type Connector, type Dead, type List, type Verdict, dead, rejected } from "./connector.ts";
import { PathFault } from "./forms.ts";

/**
 * The connector with a floor under it: settings that don't fit their schema, and faults of our own on input that nobody foresaw,
 * become a rejection or a permanent failure that an operator sees, instead of an exception in a worker.
 */
export function guarded(connector: Connector): Connector {
  return {
    ...connector,
    ...(connector.probe && { probe: (input) => orDead(() => connector.probe?.(input) ?? noProbe) }),
    ...(connector.pull && { pull: guardedPull(connector.pull) }),
    ...(connector.list && { list: guardedList(connector.list) }),
    async receive(input) {
      try {
        return await connector.receive(input);
      } catch (error) {
        return rejected(describe(error));
      }
    },
    verify(input) {
      try {
        return connector.verify(input);
      } catch {
        return "invalid";
      }
    },
    async request(input) {
      try {
        return await connector.request(input);
      } catch (error) {
        return faultOf(error);
      }
    },
    needsExternalId(input) {
      try {
        return connector.needsExternalId?.(input) ?? true;
      } catch {
        // Settings that can't be read, of which `request` tells.
        return true;
      }
    },
    verdict: (input) => guardedVerdict(() => connector.verdict(input)),
  };
}

const noProbe = dead("not-supported", "this connection can't be tested without a delivery");

function guardedPull(pull: NonNullable<Connector["pull"]>): NonNullable<Connector["pull"]> {
  return { entityTypes: pull.entityTypes, next: (input) => orDead(() => pull.next(input)) };
}

function guardedList(list: List): List {
  return { ...list, next: (input) => orDead(() => list.next(input)) };
}

function guardedVerdict(read: () => Verdict): Verdict {
  try {
    const verdict = read();
    if (verdict.kind !== "found") return verdict;
    const { ours, theirs } = verdict;
    return { ...verdict, ours: () => guardedVerdict(ours), theirs: (key) => guardedVerdict(() => theirs(key)) };
  } catch (error) {
    if (error instanceof PathFault) return faultOf(error);
    return dead("connector", `the answer could not be read: ${describe(error)}`);
  }
}

function orDead<Result>(make: () => Result): Result | Dead {
  try {
    return make();
  } catch (error) {
    return faultOf(error);
  }
}

function faultOf(error: unknown): Dead {
  if (error instanceof PathFault) return dead("key", error.message);
  if (!(error instanceof ZodError)) return dead("connector", describe(error));
  return { ...dead("configuration", describe(error)), fields: [...new Set(error.issues.map(({ path }) => String(path[0])))] };
}

/** Paths and rules only: what settings and documents contain stays out of reasons. */
function describe(error: unknown): string {
  if (error instanceof ZodError) return `settings or credentials: ${error.issues.map((issue) => issue.path.join(".")).join(", ")} invalid`;
  return `fault in the connector: ${error instanceof Error ? error.name : "unknown"}`;
}
