import type pg from "pg";
import { readFailedJobs } from "../failed-jobs.ts";
import { readFailure } from "../runs/line-text.ts";
import type { Finding, Rule } from "./rule.ts";

/** Polls and imports that failed, bulk operations that could not go on. */
export async function findFailedJobs(client: pg.ClientBase, tenantId: number, rule: Rule, now: Date): Promise<Finding[]> {
  const failed = await readFailedJobs(client, tenantId, rule.subtenantId, now);
  return failed.map(({ object, subtenantId, details: { fault, ...details } }) => ({
    object,
    value: 1,
    subtenantId,
    queueId: null,
    details: { ...details, ...(fault && { fault, failure: readFailure(fault) }) },
  }));
}
