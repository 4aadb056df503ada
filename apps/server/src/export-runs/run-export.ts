import { EntityType } from "@crossdock/contract";
import { z } from "zod";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { because } from "../errors/faults.ts";
import { countCurrent, listCurrent } from "../runs/current-entities.ts";
import { type ClaimedRun, type Ending, LeaseLost, advanceRun, failed, writeLines } from "../runs/runs.ts";
import { documentLine, pathsIn } from "./lines.ts";
import { putPart } from "./rows.ts";

/** Objects of one part and transaction. */
const batchSize = 500;
/** The most columns of a CSV file: further values are in NDJSON only, and the run's log says so. */
const columnsMax = 300;

/** How far an export has come, and the columns seen so far. `isCut`: there are more. */
export const ExportState = z.object({
  after: z.string().nullable(),
  parts: z.int(),
  columns: z.array(z.string()),
  isCut: z.boolean().default(false),
});
export type ExportState = z.infer<typeof ExportState>;

/** Writes the objects of a subtenant and type in parts. Memory holds one part, and a run that is taken up again goes on behind the last. */
export async function runExport({ pools }: { pools: Deps["pools"] }, run: ClaimedRun, signal: AbortSignal): Promise<Ending> {
  if (!EntityType.safeParse(run.entityType).success) return failed("the entity type is not known");
  let state = run.cursor === null ? { after: null, parts: 0, columns: [], isCut: false } : ExportState.parse(JSON.parse(run.cursor));
  for (;;) {
    if (signal.aborted) throw new LeaseLost();
    const columns = new Set(state.columns);
    const { isCancelling, isPausing, isLast, next } = await inTenant(pools.worker, run.tenantId, async (client) => {
      if (state.parts === 0) {
        const total = await countCurrent(client, run, false);
        await client.query("update hub.run set total = $3 where tenant_id = $1 and id = $2", [run.tenantId, run.id, total]);
      }
      const { objects, isLast } = await listCurrent(client, run, { after: state.after, withTests: false, limit: batchSize });
      const isCut = addColumns(columns, objects) || state.isCut;
      if (isCut && !state.isCut) await writeLines(client, run, "warning", because("run-columns-cut", { max: columnsMax }).detail);
      const number = state.parts + 1;
      if (objects.length > 0) await putPart(client, run, number, objects.map(({ document }) => documentLine(document)).join(""));
      const reached = {
        after: objects.at(-1)?.key ?? state.after,
        parts: objects.length > 0 ? number : state.parts,
        columns: [...columns],
        isCut,
      };
      const told = await advanceRun(client, run, { done: objects.length, accepted: objects.length }, JSON.stringify(reached));
      return { ...told, isLast, next: reached };
    });
    if (isCancelling) return { state: "cancelled", fault: null };
    if (isLast) return { state: "done", fault: null };
    if (isPausing) return { state: "paused", fault: null };
    state = next;
  }
}

/** Whether there are more columns than a CSV file may have. */
function addColumns(columns: Set<string>, objects: readonly { document: string }[]): boolean {
  let isCut = false;
  for (const { document } of objects) {
    for (const path of pathsIn(document)) {
      if (columns.size < columnsMax) columns.add(path);
      else isCut ||= !columns.has(path);
    }
  }
  return isCut;
}
