import { jobItemsMax, type JobKind, type JobSelection } from "@crossdock/contract";
import { findMessages, locateMessages, type MessagePlace, type MessageState } from "@crossdock/queue";
import type pg from "pg";
import { ApiError } from "../errors.ts";
import { toMessageFilter } from "../message-filter.ts";

/** The states in which an operation finds something to do. What is in a worker's hand is left to it. */
const permittedStates: Record<JobKind, readonly MessageState[]> = {
  "retry-now": ["retrying"],
  requeue: ["dead"],
  remove: ["ready", "retrying", "parked", "dead"],
  restore: ["removed"],
};

/** The messages that an operation will be carried out on, as they are now, oldest first. Throws bad-request for more than a job takes. */
export async function selectItems(
  client: pg.ClientBase,
  tenantId: number,
  kind: JobKind,
  selection: JobSelection,
): Promise<MessagePlace[]> {
  if ("ids" in selection) return locateMessages(client, { tenantId, messageIds: selection.ids });
  const { filter, except = [] } = selection;
  const { fingerprint } = filter;
  // Only a dead letter is grouped by its cause.
  const wanted = fingerprint === undefined ? filter.state : (["dead"] satisfies MessageState[]);
  const states = permittedStates[kind].filter((state) => wanted === undefined || wanted.length === 0 || wanted.includes(state));
  if (states.length === 0) return [];
  const limit = jobItemsMax + except.length + 1;
  const engineFilter = { ...(await toMessageFilter(client, tenantId, filter)), ...(fingerprint !== undefined && { fingerprint }) };
  const spared = new Set(except);
  const found = await findMessages(client, { tenantId, filter: engineFilter, states, limit });
  const items = found.filter(({ messageId }) => !spared.has(messageId));
  if (items.length > jobItemsMax)
    throw new ApiError("bad-request", { detail: `More than ${jobItemsMax} messages match: narrow the filter.` });
  return items;
}

/** Whether a removal was asked for dead letters alone: then one that has been requeued meanwhile stays. */
export function isOfDeadOnly(selection: JobSelection): boolean {
  if ("ids" in selection) return false;
  const { state, fingerprint } = selection.filter;
  return fingerprint !== undefined || (state !== undefined && state.length > 0 && state.every((one) => one === "dead"));
}
