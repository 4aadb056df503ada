import { IntegrationPointContent, type IntegrationPointVersion } from "@crossdock/contract";
import type pg from "pg";
import { notFound } from "../errors/errors.ts";

const columns = `version, queue.iso(made_at) as "madeAt", made_by as "madeBy", reason, restored, content`;

const listSql = `
  select ${columns} from hub.integration_point_version
  where tenant_id = $1 and integration_point_id = $2 and ($3::integer is null or version < $3)
  order by version desc limit $4`;

/** The newest first. */
export async function listVersions(
  client: pg.ClientBase,
  { tenantId, id, before, limit }: { tenantId: number; id: number; before: number | null; limit: number },
): Promise<IntegrationPointVersion[]> {
  return (await client.query<IntegrationPointVersion>(listSql, [tenantId, id, before, limit])).rows;
}

const getSql = "select content from hub.integration_point_version where tenant_id = $1 and integration_point_id = $2 and version = $3";

/** What was set in a version. Throws not-found. */
export async function readVersion(client: pg.ClientBase, tenantId: number, id: number, version: number): Promise<IntegrationPointContent> {
  const { rows } = await client.query<{ content: unknown }>(getSql, [tenantId, id, version]);
  if (!rows[0]) throw notFound();
  return IntegrationPointContent.parse(rows[0].content);
}
