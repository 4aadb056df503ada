import { EntityType, type ExternalItemKey } from "@crossdock/contract";
import { z } from "zod";

/** What names an external item among all of its tenant's: the id of its row in lists. */
export function itemIdOf({ integrationPointId, entityType, key }: ExternalItemKey): string {
  return `${integrationPointId} ${entityType} ${key}`;
}

/** Such an id, read. */
export const ItemId = z
  .string()
  .transform((id) => /^([1-9]\d{0,8}) (\w+) (.+)$/s.exec(id))
  .transform((parts) => ({ integrationPointId: Number(parts?.[1]), entityType: parts?.[2], key: parts?.[3] }))
  .pipe(z.object({ integrationPointId: z.int(), entityType: EntityType, key: z.string() }));
