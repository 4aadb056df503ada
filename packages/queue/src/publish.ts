import { isAnnouncementDue } from "./announcer.ts";
import { QueueError, unknownQueueOr } from "./errors.ts";
import type { NewMessage, Queryable } from "./model.ts";
import { arrayLiteral, sparseLiteral, textArray } from "./packed-text.ts";

const publishSql = {
  name: "queue.publish",
  text: "select queue.publish($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)::text as ids",
};

/** What messages of a batch have in common; each distinct profile is sent once. */
type Profile = { queueId: number; subtenantId: number; entityType: string; source: string | null; headers: string | null };

/**
 * Stores messages of one tenant and makes them ready, in the caller's transaction or, given a pool, in one of its own.
 * Returns their ids in the same order.
 * Throws QueueError 'mixed-tenants', 'unknown-queue', 'nul-character'.
 */
export async function publish(db: Queryable, messages: readonly NewMessage[]): Promise<string[]> {
  const first = messages[0];
  if (!first) return [];
  const values = publishValues(first.tenantId, messages);
  try {
    const { rows } = await db.query<{ ids: string }>({ ...publishSql, values });
    // Asked for as text: the driver parses arrays character by character, which for an id takes as long as everything else does for its message.
    return rows[0]?.ids.slice(1, -1).split(",") ?? [];
  } catch (error) {
    throw unknownQueueOr(error);
  }
}

function publishValues(tenantId: number, messages: readonly NewMessage[]): unknown[] {
  const { profiles, indexes } = distinctProfiles(tenantId, messages);
  return [
    tenantId,
    arrayLiteral(profiles.map((profile) => profile.queueId)),
    arrayLiteral(profiles.map((profile) => profile.subtenantId)),
    profiles.map((profile) => profile.entityType),
    profiles.map((profile) => profile.source),
    profiles.map((profile) => profile.headers),
    arrayLiteral(indexes),
    textArray(messages.map((message) => message.key)),
    textArray(messages.map((message) => message.document)),
    sparseLiteral(messages.map((message) => message.version ?? null)),
    sparseLiteral(messages.map((message) => message.originId ?? null)),
    sparseLiteral(messages.map((message) => message.entityVersion ?? null)),
    isAnnouncementDue(tenantId),
  ];
}

function distinctProfiles(tenantId: number, messages: readonly NewMessage[]): { profiles: Profile[]; indexes: number[] } {
  const profiles: Profile[] = [];
  const positions = new Map<string, number>();
  const indexes = messages.map((message) => {
    if (message.tenantId !== tenantId) throw new QueueError("mixed-tenants", "A batch holds messages of one tenant.");
    const headers = message.headers ? JSON.stringify(message.headers) : null;
    const identity = `${message.queueId}\n${message.subtenantId}\n${message.entityType}\n${message.source ?? ""}\n${headers ?? ""}`;
    let position = positions.get(identity);
    if (position === undefined) {
      const { queueId, subtenantId, entityType, source = null } = message;
      // Arrays of SQL start at 1.
      position = profiles.push({ queueId, subtenantId, entityType, source, headers });
      positions.set(identity, position);
    }
    return position;
  });
  return { profiles, indexes };
}
