import type { JobKind, JobSelection } from "@crossdock/contract";
import { findMessages, locateMessages, statesOf, type MessagePlace, type MessageState } from "@crossdock/queue";
import type pg from "pg";
import type { Masking } from "../masking/masking.ts";
import { toMessageFilter } from "../messages/filter.ts";
import { boundsBut } from "./rows.ts";

/** What is done to messages; only what came in can be replayed. */
type MessageJobKind = Exclude<JobKind, "replay">;

/** The states in which an operation finds something to do. What is in a worker's hand is left to it. */
const permittedStates: Record<MessageJobKind, readonly MessageState[]> = {
  "retry-now": ["retrying"],
  requeue: ["dead"],
  remove: ["ready", "retrying", "parked", "dead"],
  restore: ["removed"],
  patch: ["dead"],
  redirect: ["ready", "retrying", "parked", "dead"],
};

/** The messages that an operation will be carried out on, as they are now, a portion at a time. */
export async function* selectItems(
  client: pg.ClientBase,
  tenantId: number,
  kind: MessageJobKind,
  selection: JobSelection,
  concealing: Masking | null,
): AsyncGenerator<MessagePlace[], void> {
  const wanted = wantedStates(selection);
  const states = permittedStates[kind].filter((state) => wanted === undefined || wanted.length === 0 || wanted.includes(state));
  if (states.length === 0) return;
  if ("ids" in selection) yield await selectNamed(client, tenantId, selection.ids, new Set(states));
  else yield* selectMatching(client, tenantId, selection, states, concealing);
}

/** As the list reads the filter: a cause without a state is that of dead letters. */
function wantedStates(selection: JobSelection): readonly MessageState[] | undefined {
  if ("ids" in selection) return selection.state;
  const { state, fingerprint } = selection.filter;
  return state === undefined && fingerprint !== undefined ? ["dead"] : state;
}

async function selectNamed(client: pg.ClientBase, tenantId: number, ids: readonly string[], states: ReadonlySet<MessageState>) {
  const messages = await locateMessages(client, { tenantId, messageIds: ids });
  const stateOf = await statesOf(client, { tenantId, messages });
  return messages.filter(({ messageId }) => {
    const state = stateOf.get(messageId);
    return state !== undefined && states.has(state);
  });
}

type Matching = Extract<JobSelection, { filter: unknown }>;

async function* selectMatching(
  client: pg.ClientBase,
  tenantId: number,
  { filter, except = [] }: Matching,
  states: readonly MessageState[],
  concealing: Masking | null,
) {
  const engineFilter = await toMessageFilter(client, tenantId, filter, concealing);
  const spared = new Set(except);
  for await (const found of findMessages(client, { tenantId, filter: engineFilter, states, ...boundsBut(except.length) }))
    yield found.filter(({ messageId }) => !spared.has(messageId));
}

/** Whether only dead letters were asked for: then a removal leaves one that has been requeued meanwhile. */
export function isOfDeadOnly(selection: JobSelection): boolean {
  const states = wantedStates(selection) ?? [];
  return states.length > 0 && states.every((state) => state === "dead");
}
