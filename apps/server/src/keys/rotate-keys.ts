import { resolve } from "node:path";
import type pg from "pg";
import { readConfig } from "../config.ts";
import { credentialsPlace } from "./credentials.ts";
import { addKey, createKeyRing, readKeySecrets, type KeyRing } from "./key-ring.ts";
import { openOwnerDatabase } from "../installation/owner-database.ts";
import { StartError, refuse } from "../installation/start-error.ts";

/**
 * `npm run rotate-keys`: makes a new key for the stored credentials, unless CROSSDOCK_CREDENTIAL_KEYS names one, and wraps the data keys of
 * all credentials with it. Servers may run meanwhile: both keys open until the last value is wrapped anew, and a value that somebody changes
 * at the same moment is met again.
 */
async function run(): Promise<void> {
  const config = readConfig(process.env);
  const dataDir = resolve(config.dataDir);
  const database = await openOwnerDatabase(config);
  try {
    await refuseSecond(database.pool);
    const made = config.credentialKeys.length === 0 ? addKey(dataDir) : null;
    const ring = createKeyRing(() => readKeySecrets({ configured: config.credentialKeys, dataDir, secret: database.secret }));
    const { rewrapped, kept, unknown } = await rotateCredentials(database.pool, ring);
    console.log(
      `Key ${ring.currentId()}: ${rewrapped} wrapped anew, ${kept} had it already, ${unknown} sealed with a key that is not known here.`,
    );
    if (made !== null && config.databaseUrl !== null)
      console.log(`Copy ${made} to every other machine now (mode 0600, the server's user's): without it none opens credentials there.`);
    if (unknown > 0) process.exitCode = 1;
  } finally {
    await database.close();
  }
}

/** Of two at once each would put its key into the file without the other's, which then opens nothing any more. The lock goes with the pool's one connection. */
async function refuseSecond(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ isFree: boolean }>(`select pg_try_advisory_lock(7265644) as "isFree"`);
  if (!rows[0]?.isFree) throw new StartError("Another rotation is under way. Wait for its end.");
}

type Row = { tenantId: number; id: number; credentials: Buffer };

const readSql = `
  select tenant_id as "tenantId", id, credentials from hub.integration_point
  where credentials is not null and (tenant_id, id) > ($1, $2) order by tenant_id, id limit 100`;
// Only what is still as it was read: a value changed meanwhile has just been sealed anew.
const writeSql = "update hub.integration_point set credentials = $4 where tenant_id = $1 and id = $2 and credentials = $3";

/** As the owner, whom row-level security does not concern. */
export async function rotateCredentials(pool: pg.Pool, ring: KeyRing): Promise<{ rewrapped: number; kept: number; unknown: number }> {
  const counts = { rewrapped: 0, kept: 0, unknown: 0 };
  let last: Pick<Row, "tenantId" | "id"> = { tenantId: 0, id: 0 };
  for (;;) {
    const { rows } = await pool.query<Row>(readSql, [last.tenantId, last.id]);
    for (const row of rows) counts[await rotateOne(pool, ring, row)] += 1;
    const end = rows.at(-1);
    if (!end) return counts;
    last = end;
  }
}

const againSql = "select credentials from hub.integration_point where tenant_id = $1 and id = $2 and credentials is not null";

async function rotateOne(pool: pg.Pool, ring: KeyRing, { tenantId, id, credentials }: Row): Promise<"rewrapped" | "kept" | "unknown"> {
  const place = credentialsPlace({ tenantId, integrationPointId: id });
  let sealed: Buffer | undefined = credentials;
  while (sealed) {
    let wrapped: Buffer | null;
    try {
      wrapped = ring.rewrap(place, sealed);
    } catch {
      return "unknown";
    }
    if (wrapped === null) return "kept";
    const written = await pool.query(writeSql, [tenantId, id, sealed, wrapped]);
    if (written.rowCount === 1) return "rewrapped";
    sealed = (await pool.query<{ credentials: Buffer }>(againSql, [tenantId, id])).rows[0]?.credentials;
  }
  return "kept";
}

if (import.meta.main) await run().catch(refuse);
