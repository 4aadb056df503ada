import type { Delivery } from "./model.ts";

/** A message as the engine's functions return it. */
export type MessageRow = {
  id: string;
  attempts: number;
  subtenantId: number;
  key: string;
  entityType: string;
  headers: string | null;
  document: string;
  version: string | null;
  originId: string | null;
};

export type Place = Pick<Delivery, "tenantId" | "queueId" | "queueName" | "targetId">;

export function toDelivery(
  place: Place,
  row: Omit<MessageRow, "document">,
  document: string,
  publishedAt: Date,
  isUntried = false,
): Delivery {
  return {
    tenantId: place.tenantId,
    queueId: place.queueId,
    queueName: place.queueName,
    targetId: place.targetId,
    subtenantId: row.subtenantId,
    messageId: row.id,
    key: row.key,
    entityType: row.entityType,
    document,
    headers: parseHeaders(row.headers),
    version: row.version,
    attempt: row.attempts + 1,
    originId: row.originId,
    publishedAt,
    isUntried,
  };
}

/** Headers were written by `publish` as an object of strings; whatever else stands there is passed over. */
export function parseHeaders(json: string | null): Record<string, string> {
  if (json === null) return {};
  const parsed: unknown = JSON.parse(json);
  if (typeof parsed !== "object" || parsed === null) return {};
  return Object.fromEntries(Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === "string"));
}
