import type pg from "pg";
import type { DeadLetterGroup } from "@crossdock/contract";
import {
  groupsOfFound,
  matchingDeadGroups,
  scanFound,
  type DeadGroup,
  type MessageFilter,
  type ScanRequest,
  type RunStep,
} from "@crossdock/queue";
import { readChangesBefore } from "./changes-before.ts";
import { readTriage, untouched } from "./triage.ts";

type Db = Pick<pg.ClientBase, "query">;

/** The dead letters that a filter matches, grouped by cause, with what is known about each error. */
export async function readGroups(
  client: Db,
  tenantId: number,
  filter: MessageFilter,
): Promise<{ items: DeadLetterGroup[]; isExact: boolean }> {
  const { groups, isExact } = await matchingDeadGroups(client, { tenantId, filter });
  return { items: await describe(client, tenantId, groups, await readCodes(client, tenantId)), isExact };
}

/** The same step by step, each step with the groups of what it found. */
export async function beginGroups(client: Db, tenantId: number) {
  const codes = await readCodes(client, tenantId);
  return (run: RunStep, request: ScanRequest) =>
    scanFound(run, { ...request, limit: () => foundAtOnce }, async (db, tenant, found) =>
      describe(db, tenant, await groupsOfFound(db, tenant, found), codes),
    );
}

const foundAtOnce = 10_000;

const codesSql = `
  select point.id, subtenant.code from hub.integration_point point
  join hub.subtenant on subtenant.tenant_id = point.tenant_id and subtenant.id = point.subtenant_id
  where point.tenant_id = $1`;

type Codes = ReadonlyMap<number, string>;

async function readCodes(client: Db, tenantId: number): Promise<Codes> {
  const { rows } = await client.query<{ id: number; code: string }>(codesSql, [tenantId]);
  return new Map(rows.map(({ id, code }) => [id, code]));
}

async function describe(client: Db, tenantId: number, groups: readonly DeadGroup[], codes: Codes): Promise<DeadLetterGroup[]> {
  const named = groups.map(({ fingerprint, ...group }) => ({ ...group, fingerprint: fingerprint ?? "" }));
  const placed = named.map(({ queues, errorMessage, ...group }) => {
    const targetIds = [...new Set(queues.map(({ targetId }) => targetId))];
    return {
      ...group,
      error: errorMessage,
      queueIds: queues.map(({ queueId }) => queueId),
      integrationPointIds: targetIds,
      subtenantCodes: [...new Set(targetIds.flatMap((id) => codes.get(id) ?? []))],
    };
  });
  const triage = await readTriage(client, tenantId, placed);
  const changes = await readChangesBefore(client, tenantId, placed);
  return placed.map((group) => ({
    ...group,
    changeBefore: changes.get(group.fingerprint) ?? null,
    triage: triage.get(group.fingerprint) ?? untouched,
  }));
}
