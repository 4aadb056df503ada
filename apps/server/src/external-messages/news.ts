import type pg from "pg";

/** Tells live consoles that external messages or items changed without a message being published, which the engine tells of itself. */
export async function tellExternalNews(client: pg.ClientBase, tenantId: number): Promise<void> {
  await client.query("select pg_notify('external_changed', $1::text)", [tenantId]);
}
