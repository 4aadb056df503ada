import { EntityType, businessKeyOf, canonicalSchemas } from "@crossdock/contract";

export type DocumentError = { path: string; message: string };

/** Errors that one answer names at most. */
const errorsMax = 50;

/**
 * An edited document as it would be published: canonical JSON text, or what is wrong with it. Its business key must stay, since the key
 * is the message's lane.
 */
export function checkDocument(entityType: string, key: string, text: string): { document: string } | { errors: DocumentError[] } {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    return { errors: [{ path: "", message: error instanceof Error ? error.message : "It is not JSON." }] };
  }
  const type = EntityType.safeParse(entityType);
  if (!type.success) return { errors: [{ path: "", message: `There is no schema of the entity type ${entityType}.` }] };
  const parsed = canonicalSchemas[type.data].safeParse(json);
  if (!parsed.success) {
    return { errors: parsed.error.issues.slice(0, errorsMax).map(({ path, message }) => ({ path: path.join("."), message })) };
  }
  if (businessKeyOf(type.data, parsed.data) !== key) {
    return { errors: [{ path: "", message: `The business key must stay ${key}: hand in another one as a new message.` }] };
  }
  return { document: JSON.stringify(parsed.data) };
}
