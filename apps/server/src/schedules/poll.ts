import type { Page } from "@crossdock/connectors";
import { EntityType } from "@crossdock/contract";
import { besideOthers, inTenant } from "../db.ts";
import { systemsOf } from "../delivery/external-items.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import type { Directory, Point } from "../intake/directory.ts";
import type { Intake } from "../intake/intake.ts";
import { createTurns } from "../intake/turns.ts";
import { type Send, fetchPage, isSamePage } from "../runs/asking.ts";
import { openSource } from "../runs/open-source.ts";
import { type ClaimedRun, type Counts, type Ending, LeaseLost, advanceRun, failed, writeLines } from "../runs/runs.ts";

export type PollDeps = { pools: Deps["pools"]; directory: Directory; intake: Intake; send: Send };

const cursorSql = "select cursor, clock_timestamp() as now from hub.schedule where tenant_id = $1 and id = $2 and removed_at is null";
// A schedule that was reset to its start while the page was being read stays there, and so does one at its start whose system is another by now.
const moveCursorSql = `
  update hub.schedule set cursor = $3 where tenant_id = $1 and id = $2 and cursor is not distinct from $4
    and exists (select from hub.integration_point where tenant_id = $1 and id = schedule.integration_point_id and system = $5)`;

/** Takes page after page from a source into the intake. The cursor moves when a page's messages are committed, so a crash repeats a page and loses none. Throws RunRests. */
export async function poll(deps: PollDeps, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  const { pools, directory } = deps;
  const { tenantId, scheduleId } = run;
  const entityType = EntityType.safeParse(run.entityType);
  for (;;) {
    const point = await openSource(directory, run);
    if (!point || !entityType.success || scheduleId === null) return failed(because("run-subject-gone").detail);
    if (point.credentials === null) return failed(because("credentials-closed").detail);
    const { rows } = await inTenant(pools.worker, tenantId, (client) =>
      client.query<{ cursor: string | null; now: Date }>(cursorSql, [tenantId, scheduleId]),
    );
    // Without a stored place the run would begin again and again.
    if (!rows[0]) return failed(because("run-subject-gone").detail);
    const { cursor, now } = rows[0];
    const page = await fetchPage(deps, { run, point, entityType: entityType.data, cursor, now, signal });
    if (page.kind !== "page") return failed(page.error.message);
    if (page.hasMore && isSamePage(run, cursor, page.cursor, page.messages)) return failed(because("run-same-page").detail);
    const counts = await take(deps, point, entityType.data, page);
    const { isCancelling, isPausing } = await inTenant(pools.worker, tenantId, async (client) => {
      const advanced = await advanceRun(client, run, counts);
      await besideOthers(client, systemsOf(tenantId));
      await client.query(moveCursorSql, [tenantId, scheduleId, page.cursor, cursor, point.system]);
      if (counts.rejected > 0)
        await writeLines(client, run, "warning", because("run-some-rejected", { rejected: counts.rejected, total: counts.done }).detail);
      return advanced;
    });
    await confirm(deps, run, point, page, signal);
    if (isCancelling) return { state: "cancelled", fault: null };
    if (!page.hasMore) return { state: "done", fault: null };
    if (isPausing) return { state: "paused", fault: null };
    if (signal.aborted) throw new LeaseLost();
  }
}

async function take({ intake }: PollDeps, point: Point, entityType: EntityType, page: Page): Promise<Omit<Counts, "differing">> {
  const nextTurn = createTurns();
  const receipts = await Promise.all(
    page.messages.map(({ body, name }) => {
      const arrival = {
        point,
        channel: "poll",
        entityType,
        headers: { "content-type": "application/json" },
        body: Buffer.from(body),
        signature: "not-applicable",
        dedupeName: name === null ? null : `poll ${entityType} ${name}`,
      } as const;
      return intake.receive(arrival, nextTurn());
    }),
  );
  const count = (wanted: string): number => receipts.filter(({ state, isDuplicate }) => !isDuplicate && state === wanted).length;
  const [accepted, rejected] = [count("accepted"), count("rejected")];
  return { done: receipts.length, accepted, rejected, unchanged: receipts.length - accepted - rejected };
}

/** Confirms to the source that its messages were taken. If that fails it hands them out again, and they are recognised by their names. */
async function confirm({ send, pools }: PollDeps, run: ClaimedRun, point: Point, page: Page, signal: AbortSignal): Promise<void> {
  for (const request of page.confirm ?? []) {
    const response = await send(point, request, signal);
    const verdict = "kind" in response ? response : (request.read?.(response) ?? { kind: "delivered" as const });
    if (verdict.kind === "dead" || verdict.kind === "retry") {
      const said = "kind" in response ? verdict.error.message : response.conceal(verdict.error.message);
      const text = because("run-source-untold", { fault: said }).detail;
      await inTenant(pools.worker, run.tenantId, (client) => writeLines(client, run, "warning", text));
    }
  }
}
