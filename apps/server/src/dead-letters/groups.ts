import type pg from "pg";
import type { DeadLetterGroup } from "@crossdock/contract";
import { deadGroups } from "@crossdock/queue";
import { readTriage, untouched } from "./triage.ts";

const codesSql = `
  select point.id, subtenant.code from hub.integration_point point
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1`;

/** Dead letters by what they died of, with what is known of each error. */
export async function readGroups(client: pg.ClientBase, tenantId: number, queueIds: number[] | undefined): Promise<DeadLetterGroup[]> {
  const groups = await deadGroups(client, { tenantId, ...(queueIds && { queueIds }) });
  const { rows } = await client.query<{ id: number; code: string }>(codesSql, [tenantId]);
  const codes = new Map(rows.map(({ id, code }) => [id, code]));
  const named = groups.map(({ fingerprint, ...group }) => ({ ...group, fingerprint: fingerprint ?? "" }));
  const triage = await readTriage(client, tenantId, named);
  return named.map(({ queues, errorMessage, ...group }) => {
    const targetIds = [...new Set(queues.map(({ targetId }) => targetId))];
    return {
      ...group,
      error: errorMessage,
      queueIds: queues.map(({ queueId }) => queueId),
      integrationPointIds: targetIds,
      subtenantCodes: [...new Set(targetIds.flatMap((id) => codes.get(id) ?? []))],
      triage: triage.get(group.fingerprint) ?? untouched,
    };
  });
}
