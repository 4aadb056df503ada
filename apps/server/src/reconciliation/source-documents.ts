import { type PulledMessage, connectors } from "@crossdock/connectors";
import { type EntityType, canonicalSchemas } from "@crossdock/contract";
import type { Point } from "../intake/directory.ts";

/** What a source handed out, as canonical documents of one type, and what could not be read. Nothing of it is taken in. */
export async function documentsOf(
  point: Point,
  entityType: EntityType,
  messages: readonly PulledMessage[],
): Promise<{ documents: object[]; faults: string[] }> {
  const documents: object[] = [];
  const faults: string[] = [];
  for (const { body } of messages) {
    const received = await connectors[point.connector].receive({
      body: Buffer.from(body),
      headers: { "content-type": "application/json" },
      entityType,
      settings: point.settings,
    });
    if (received.kind === "rejected") faults.push(received.reasons.map(({ path, message }) => `${path}: ${message}`).join("; "));
    if (received.kind !== "documents") continue;
    for (const { entityType: type, document } of received.documents) {
      if (type !== entityType) continue;
      const parsed = canonicalSchemas[entityType].safeParse(document);
      if (parsed.success) documents.push(parsed.data);
      else faults.push(`a document of the source doesn't fit at ${parsed.error.issues[0]?.path.join(".") ?? ""}`);
    }
  }
  return { documents, faults };
}
