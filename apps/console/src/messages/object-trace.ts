import type { MessageAction, ObjectTrace, QueryOf, Routes } from "@crossdock/contract";
import { queryOptions } from "@tanstack/react-query";
import { allOf } from "../all-of.ts";
import { api } from "../api/api.ts";
import type { TextKey } from "../i18n/i18n.tsx";
import type { Tone } from "../ui/chip.tsx";

/** Names whose way is looked at; a message names the object that it carries. */
export type TraceOf = { messageId: string } | NonNullable<QueryOf<Routes["traceObject"]>>;

export function traceQuery(tenantCode: string, of: TraceOf) {
  return queryOptions({
    queryKey: ["tenant", tenantCode, "object-trace", of],
    queryFn: ({ signal }) =>
      "messageId" in of
        ? api<Routes["getObjectTrace"]>("GET", "/tenants/:tenantCode/messages/:messageId/object-trace", {
            params: { tenantCode, messageId: of.messageId },
            signal,
          })
        : api<Routes["traceObject"]>("GET", "/tenants/:tenantCode/object-trace", { params: { tenantCode }, query: of, signal }),
  });
}

/** One thing that happened to a business object: where in the picture, and what it came of. */
export type TraceEvent = {
  id: string;
  kind: "received" | "version" | "message" | "attempt" | "action" | "external-id";
  /** Null: nobody knows when, as with an id that was imported. */
  at: string | null;
  /** What it happened in: the senders, the object, or a target. */
  row: string;
  cause: string | null;
  tone: Tone;
};

export const actionTexts: Record<MessageAction["verb"], TextKey> = {
  requeue: "trace.requeued",
  retry: "trace.retried",
  remove: "trace.removed",
  restore: "trace.restored",
  replace: "trace.replaced",
};

/** What was done in an event of that kind. */
export function actionOf({ messages }: ObjectTrace, { id }: Pick<TraceEvent, "id">): MessageAction | undefined {
  const [messageId, , index] = id.split(" ");
  return messages.find((message) => message.id === messageId)?.actions[Number(index)];
}

/** What happened, in its order. A message's tries follow one another; the copy that takes a message's place comes of it. */
export function eventsOf(trace: ObjectTrace): TraceEvent[] {
  const known = new Set<string>();
  const predecessors = new Map(trace.messages.flatMap(({ id, successorId }) => (successorId === null ? [] : [[successorId, id] as const])));
  const received: TraceEvent[] = trace.externalMessages.map(({ id, receivedAt, state, replayOf }) => ({
    id: `received ${id}`,
    kind: "received",
    at: receivedAt,
    row: "received",
    cause: replayOf === null ? null : `received ${replayOf}`,
    tone: state === "rejected" ? "bad" : "info",
  }));
  const versions: TraceEvent[] = trace.versions.map(({ version, createdAt, externalMessageId }) => ({
    id: `version ${version}`,
    kind: "version",
    at: createdAt,
    row: "version",
    cause: `received ${externalMessageId}`,
    tone: "info",
  }));
  const messages = trace.messages.flatMap((message): TraceEvent[] => {
    const predecessor = predecessors.get(message.id);
    const origin = message.entityVersion === null ? `received ${message.externalMessageId}` : `version ${message.entityVersion}`;
    const published: TraceEvent = {
      id: message.id,
      kind: "message",
      at: message.publishedAt,
      row: message.integrationPointName,
      cause: predecessor ?? origin,
      tone: "info",
    };
    const attempts = message.attemptNotes.map((note, index): TraceEvent => ({
      id: `${message.id} ${note.number}`,
      kind: "attempt",
      at: note.startedAt,
      row: message.integrationPointName,
      cause: index === 0 ? message.id : `${message.id} ${message.attemptNotes[index - 1]?.number}`,
      tone: note.errorClass === null ? "ok" : "bad",
    }));
    const actions = message.actions.map(({ at }, index): TraceEvent => ({
      id: `${message.id} action ${index}`,
      kind: "action",
      at,
      row: message.integrationPointName,
      cause: message.id,
      tone: "neutral",
    }));
    return [published, ...attempts, ...actions];
  });
  const events = [...received, ...versions, ...messages, ...externalIdsOf(trace)].toSorted((one, other) => rank(one) - rank(other));
  for (const event of events) known.add(event.id);
  return events.map((event) => (event.cause !== null && known.has(event.cause) ? event : { ...event, cause: null }));
}

/** What those targets that gave it an id call the object since they were told last: it came of that message's last try. */
function externalIdsOf({ externalItems, messages }: ObjectTrace): TraceEvent[] {
  const named = externalItems.filter(({ externalId }) => externalId !== null);
  return named.map(({ integrationPointId, integrationPointName, deliveredAt, messageId }) => {
    const message = messages.find(({ id }) => id === messageId);
    const last = message?.attemptNotes.at(-1);
    return {
      id: `external-id ${integrationPointId}`,
      kind: "external-id",
      // The transaction that wrote it down may have begun before the try.
      at: last && deliveredAt !== null && last.startedAt > deliveredAt ? last.startedAt : deliveredAt,
      row: integrationPointName,
      cause: message && last ? `${message.id} ${last.number}` : (message?.id ?? null),
      tone: "ok",
    };
  });
}

const order = allOf<TraceEvent["kind"]>()(["received", "version", "message", "attempt", "action", "external-id"]);

/** By time; what one transaction wrote at the same millisecond in the order of its causes. What has no time comes last. */
const rank = ({ at, kind }: TraceEvent): number => (at === null ? Number.MAX_SAFE_INTEGER : Date.parse(at) + order.indexOf(kind) / 10);
