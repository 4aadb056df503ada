import type { JobKind, Routes, ToolboxOperation } from "@crossdock/contract";
import type pg from "pg";
import type { z } from "zod";
import type { Principal } from "../access/access.ts";
import { readConcealing } from "../masking/concealing.ts";
import { ApiError } from "../errors/errors.ts";
import { faultBecause } from "../errors/faults.ts";
import { mask } from "../masking/headers.ts";
import { noteToolboxRun } from "../toolbox-history.ts";
import { checkPatch, refuseConcealed } from "./document-patch.ts";
import { estimatePace } from "./pace.ts";
import { isOpenQueue } from "./redirect-verdicts.ts";
import { insertItems, insertJob, setTotal } from "./rows.ts";
import { selectItems } from "./selection.ts";

/** What the toolbox calls a job of a kind. */
const toolboxNames: Partial<Record<JobKind, ToolboxOperation>> = {
  requeue: "redrive",
  "retry-now": "retry-now",
  remove: "purge",
  restore: "restore",
};

type NewJob = z.output<NonNullable<Routes["createJob"]["body"]>>;

/** A job about the messages that are selected now; it waits to be started. Throws validation-failed. */
export async function makeJob(client: pg.ClientBase, tenantId: number, principal: Principal, key: Buffer, body: NewJob): Promise<number> {
  const { kind, selection, patch, failureLimit, queueId, isFromToolbox } = body;
  if (patch) checkPatch(patch);
  const concealing = await readConcealing(client, { tenantId, principal, key });
  if (patch && concealing) refuseConcealed(patch, concealing);
  if (queueId !== undefined && !(await isOpenQueue(client, tenantId, queueId)))
    throw new ApiError("validation-failed", { errors: [faultBecause("body/queueId", "queue-closed")] });
  const patching = patch && { patch, failureLimit };
  const id = await insertJob(client, tenantId, principal, {
    kind,
    selection,
    undoOf: null,
    patching,
    targetQueueId: queueId,
  });
  const byQueue = await insertItems(client, tenantId, id, selectItems(client, tenantId, kind, selection, concealing));
  const total = [...byQueue.values()].reduce((sum, count) => sum + count, 0);
  const goingTo = queueId === undefined ? byQueue : new Map([[queueId, total]]);
  const perSecond = kind === "requeue" || patch || queueId !== undefined ? await estimatePace(client, tenantId, goingTo) : null;
  await setTotal(client, tenantId, id, { total, perSecond, queueIds: [...byQueue.keys()] });
  const operation = toolboxNames[kind];
  if (isFromToolbox && operation && "filter" in selection)
    await noteToolboxRun(client, tenantId, principal, { operation, parameters: withoutSearched(selection.filter), jobId: id });
  return id;
}

/** What is looked for in documents may be what tells a person apart. */
function withoutSearched({ search, payload, ...filter }: Record<string, unknown>): Record<string, unknown> {
  return { ...filter, ...(search !== undefined && { search: mask }), ...(payload !== undefined && { payload: mask }) };
}
