import type pg from "pg";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import type { TenantDirectory } from "../intake/directory.ts";
import { toMessage } from "../intake/entities.ts";
import { publishRouted } from "../intake/store.ts";
import { findEntity, type EntityName } from "./rows.ts";
import { targetsOf } from "./targets.ts";

type Wanted = EntityName & { integrationPointId?: number | undefined };

/** Sends an object as it is known to the targets that take it, or to one of them. Throws not-found, and conflict where no target wants it. */
export async function resyncEntity(
  client: pg.ClientBase,
  tenantId: number,
  configuration: TenantDirectory,
  { integrationPointId, ...name }: Wanted,
): Promise<{ version: number; messageIds: string[] }> {
  const entity = await findEntity(client, tenantId, name, true);
  const source = entity && configuration.points.get(entity.integrationPointId);
  if (!source) throw notFound();
  const wanting = targetsOf(configuration, entity);
  const targets = integrationPointId === undefined ? wanting : wanting.filter(({ point }) => point.id === integrationPointId);
  if (targets.length === 0) throw new ApiError("conflict", because("no-target-wants"));
  const record = {
    ...entity,
    text: entity.document,
    sourceVersion: entity.sourceVersion === null ? null : BigInt(entity.sourceVersion),
  };
  const messages = targets.map(({ queueId }) => toMessage(source, entity.externalMessageId, record, queueId, entity.version));
  const pulled = new Set(targets.filter(({ isPulled }) => isPulled).map(({ queueId }) => queueId));
  return { version: entity.version, messageIds: await publishRouted(client, messages, pulled) };
}
