import type { Logger } from "pino";
import type { WorkerEvent } from "@crossdock/queue";
import { isDatabaseAway } from "../errors/errors.ts";
import { createTally } from "../log.ts";

/** Tells what a worker meets. While the database is away every look of every shard fails: of these one line a minute tells how many. */
export function createEventLog(logger: Pick<Logger, "error" | "warn">): (event: WorkerEvent) => void {
  const tally = createTally();
  return (event) => {
    if (event.kind === "circuit-opened") return logger.warn(event, "a target fails and is left alone for a while");
    if (event.kind === "lease-lost") return logger.warn(event, "leases were lost");
    const { error } = event;
    if (!isDatabaseAway(error)) return logger.error({ err: error }, "the worker met an error and goes on");
    const failures = tally();
    if (failures !== null) logger.error({ err: error, failures }, "the worker met an error of the database and goes on");
  };
}
