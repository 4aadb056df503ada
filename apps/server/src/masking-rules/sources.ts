import { isUtf8 } from "node:buffer";
import type { RevealSource } from "@crossdock/contract";
import { getMessage, listAttempts } from "@crossdock/queue";
import type pg from "pg";

const bodySql = "select body from hub.external_message where tenant_id = $1 and id = $2";
const versionSql = `
  select document from hub.entity_version
  where tenant_id = $1 and subtenant_id = (select id from hub.subtenant where tenant_id = $1 and code = $2)
    and entity_type = $3 and business_key = $4 and is_development = $5 and version = $6`;

/** The text in which something is masked when it is shown; null where there is none. */
export async function readSource(client: pg.ClientBase, tenantId: number, source: RevealSource): Promise<string | null> {
  if (source.kind === "message") return (await getMessage(client, { tenantId, messageId: source.messageId }))?.document ?? null;
  if (source.kind === "attempt") {
    const attempts = await listAttempts(client, { tenantId, messageId: source.messageId });
    return attempts.find(({ number }) => number === source.number)?.[source.part]?.body ?? null;
  }
  if (source.kind === "external-message") {
    const [row] = (await client.query<{ body: Buffer }>(bodySql, [tenantId, source.externalMessageId])).rows;
    return row ? row.body.toString(isUtf8(row.body) ? "utf8" : "base64") : null;
  }
  const { subtenant, entityType, key, isDevelopment, version } = source;
  const values = [tenantId, subtenant, entityType, key, isDevelopment, version];
  return (await client.query<{ document: string }>(versionSql, values)).rows[0]?.document ?? null;
}
