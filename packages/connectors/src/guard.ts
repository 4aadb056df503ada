import { ZodError } from "zod";
import { type Connector, dead, rejected } from "./connector.ts";

/**
 * The connector with a floor under it: settings that don't fit their schema, and faults of our own on input that nobody foresaw,
 * become a rejection or a permanent failure that an operator sees, instead of an exception in a worker.
 */
export function guarded(connector: Connector): Connector {
  return {
    ...connector,
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
        return dead(error instanceof ZodError ? "configuration" : "connector", describe(error));
      }
    },
    verdict(input) {
      try {
        return connector.verdict(input);
      } catch (error) {
        return dead("connector", `the answer could not be read: ${describe(error)}`);
      }
    },
  };
}

/** Paths and rules only: what settings and documents contain stays out of reasons. */
function describe(error: unknown): string {
  if (error instanceof ZodError) return `settings or credentials: ${error.issues.map((issue) => issue.path.join(".")).join(", ")} invalid`;
  return `fault in the connector: ${error instanceof Error ? error.name : "unknown"}`;
}
