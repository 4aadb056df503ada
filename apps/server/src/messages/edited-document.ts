import { parseJson } from "@crossdock/connectors";
import { EntityType, businessKeyOf, canonicalSchemas, type Fault } from "@crossdock/contract";
import { faultBecause, faultsOf, inDocument } from "../errors/faults.ts";

/** Errors that one answer names at most. */
const errorsMax = 50;

/**
 * An edited document as it would be published: canonical JSON text, or what is wrong with it. Its business key must stay, since the key
 * is the message's lane.
 */
export function checkDocument(entityType: string, key: string, text: string): { document: string } | { errors: Fault[] } {
  let json: unknown;
  try {
    json = parseJson(text);
  } catch (error) {
    return { errors: [faultBecause("", "not-json", { fault: error instanceof Error ? error.message : "It is not JSON." })] };
  }
  const type = EntityType.safeParse(entityType);
  if (!type.success) return { errors: [{ path: "", message: `There is no schema of the entity type ${entityType}.` }] };
  const parsed = canonicalSchemas[type.data].safeParse(json);
  if (!parsed.success) {
    return { errors: faultsOf(parsed.error.issues, inDocument).slice(0, errorsMax) };
  }
  if (businessKeyOf(type.data, parsed.data) !== key) {
    return { errors: [faultBecause("", "key-fixed", { key })] };
  }
  return { document: JSON.stringify(parsed.data) };
}
