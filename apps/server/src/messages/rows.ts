import type { DeadLetter, Message, RetryQueueItem } from "@crossdock/contract";
import { getMessage, readDocuments, type MessageDetail, type MessagePage, type MessageSummary } from "@crossdock/queue";
import type pg from "pg";
import { writeCursor } from "../api/cursors.ts";
import { notFound } from "../errors/errors.ts";
import { readSubtenantCodes } from "../subtenants/codes.ts";

type Codes = ReadonlyMap<number, string>;

/** Throws not-found. */
export async function findMessage(client: pg.ClientBase, tenantId: number, messageId: string): Promise<MessageDetail> {
  const message = await getMessage(client, { tenantId, messageId });
  if (!message) throw notFound();
  return message;
}

/** What all lists of messages show. */
function common(summary: MessageSummary, codes: Codes) {
  return {
    id: summary.messageId,
    queueId: summary.queueId,
    queueName: summary.queueName,
    integrationPointId: summary.targetId,
    subtenantCode: codes.get(summary.subtenantId) ?? null,
    key: summary.key,
    entityType: summary.entityType,
    attempts: summary.attempts,
    error: summary.errorMessage,
  };
}

/** A page of the engine's as the API answers it. */
export async function toPage<Item>(
  client: pg.ClientBase,
  tenantId: number,
  { items, nextCursor }: MessagePage,
  toItem: (summary: MessageSummary, codes: Codes) => Item,
): Promise<{ items: Item[]; nextCursor: string | null }> {
  const codes = await readSubtenantCodes(client, tenantId);
  return { items: items.map((item) => toItem(item, codes)), nextCursor: nextCursor === null ? null : writeCursor(nextCursor) };
}

const finished = new Set(["delivered", "superseded", "removed", "redirected"]);

export function toMessage(summary: MessageSummary, codes: Codes): Message {
  return {
    ...common(summary, codes),
    source: summary.source,
    state: summary.state,
    publishedAt: summary.publishedAt.toISOString(),
    finishedAt: finished.has(summary.state) ? (summary.changedAt?.toISOString() ?? null) : null,
    nextAttemptAt: summary.dueAt?.toISOString() ?? null,
  };
}

export function toDeadLetter(summary: MessageSummary, codes: Codes): DeadLetter {
  return {
    ...common(summary, codes),
    publishedAt: summary.publishedAt.toISOString(),
    deadAt: (summary.changedAt ?? summary.publishedAt).toISOString(),
    errorClass: summary.errorClass,
    fingerprint: summary.fingerprint,
  };
}

export function toRetryQueueItem(summary: MessageSummary, codes: Codes): RetryQueueItem {
  return {
    ...common(summary, codes),
    nextAttemptAt: (summary.dueAt ?? summary.publishedAt).toISOString(),
    errorClass: summary.errorClass,
  };
}

/** The documents of a list's rows, by their ids. */
export function readMessageDocuments(
  client: pg.ClientBase,
  tenantId: number,
  rows: readonly { id: string; queueId: number }[],
): Promise<Map<string, string>> {
  return readDocuments(client, { tenantId, messages: rows.map(({ id, queueId }) => ({ messageId: id, queueId })) });
}
