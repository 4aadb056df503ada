import { createHmac, createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import pg from "pg";
import { claimSecret } from "./installation-secret.ts";

const folder = new URL("./migrations/", import.meta.url);

/** The two roles besides the owner. The owner runs migrations only; see ARCHITECTURE.md, "Database roles". */
export const roles = { app: "crossdock_app", worker: "crossdock_worker" } as const;
export type Role = keyof typeof roles;

/** Password of a role, derived from the installation's secret so that every process of the installation knows it. */
function rolePassword(secret: string, role: Role): string {
  return createHmac("sha256", secret).update(`database role ${roles[role]}`).digest("hex");
}

/** The owner's connection string with user and password of `role`. */
export function roleUrl(ownerUrl: string, secret: string, role: Role): string {
  const url = new URL(ownerUrl);
  url.username = roles[role];
  url.password = rolePassword(secret, role);
  // The driver believes these before those in front.
  for (const name of ["user", "password"]) url.searchParams.delete(name);
  return url.href;
}

/**
 * Brings the database to the newest migration and the two roles to the installation's passwords.
 * Forward only; one process at a time (advisory lock). Throws, and applies nothing, when a migration has run that isn't known here, or was
 * another then, and for another secret than the one that the database was set up with.
 */
export async function migrate(ownerUrl: string, secret: string): Promise<{ applied: string[] }> {
  // Limits that the database or its owner has are for other work: a migration takes its time, and who starts beside it waits for it. Its
  // literals are read in one way, whatever is set there.
  const options = "-c statement_timeout=0 -c lock_timeout=0 -c standard_conforming_strings=on";
  const client = new pg.Client({ connectionString: ownerUrl, options });
  // A connection that breaks fails its query, which says all there is to say; without a listener this event would end the process, too.
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ number: number; encoding: string }>(serverSql);
    for (const { number, encoding } of rows) checkServer(number, encoding);
    await client.query("select pg_advisory_lock(7265641)");
    await claimSecret(client, secret);
    for (const role of Object.keys(roles) as Role[]) await ensureRole(client, role, rolePassword(secret, role));
    return { applied: await applyMigrations(client) };
  } finally {
    // A pooler in between, such as PgBouncer, keeps the connection, and with it the lock: whoever then connects without it would wait.
    await client.query("select pg_advisory_unlock_all()").catch(() => undefined);
    await client.end();
  }
}

const versionMin = 16;

const serverSql = "select current_setting('server_version_num')::integer as number, current_setting('server_encoding') as encoding";

/** Throws for a server (its `server_version_num`) that lacks what the migrations use, and for a database that can't hold every character. */
export function checkServer(number: number, encoding: string): void {
  const version = Math.trunc(number / 10_000);
  if (version < versionMin) throw new Error(`PostgreSQL ${versionMin} or newer is needed, and this is ${version}.`);
  // SQL_ASCII takes all bytes, and fails or counts wrongly later.
  if (encoding !== "UTF8")
    throw new Error(`its encoding is ${encoding}, and UTF8 is needed. Make it with: create database … encoding 'UTF8' template template0`);
}

/** More servers than start at one moment. */
const roleAttemptsMax = 20;

/**
 * Roles belong to the whole cluster, where the lock of `migrate` holds for one database only: a server of another one may be changing
 * them at the same moment. PostgreSQL then fails the later statement once the earlier has committed, so trying again gets on.
 */
async function ensureRole(client: pg.Client, role: Role, password: string): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await setRole(client, roles[role], password);
    } catch (error) {
      if (attempt === roleAttemptsMax || !wasOvertaken(error)) throw error;
    }
  }
}

/**
 * Only a superuser may say `nosuperuser` of a role that is there, even where it changes nothing, and the owner need not be one: what the
 * role may is set where it is made, or has been given more since.
 */
async function setRole(client: pg.Client, name: string, password: string): Promise<void> {
  const found = await client.query<{ hasMore: boolean }>(attributesSql, [name]);
  const attributes = found.rows[0]?.hasMore === false ? "login" : "login nosuperuser nocreatedb nocreaterole noreplication nobypassrls";
  await client.query(`${found.rowCount === 0 ? "create" : "alter"} role ${name} ${attributes} password '${password}'`);
}

const attributesSql = `
  select rolsuper or rolcreatedb or rolcreaterole or rolreplication or rolbypassrls as "hasMore" from pg_roles where rolname = $1`;

/** Whether another session changed or made the role first. The change has no error code of its own. */
function wasOvertaken(error: unknown): boolean {
  if (!(error instanceof pg.DatabaseError)) return false;
  const { code, message } = error;
  return code === "42710" || code === "23505" || (code === "XX000" && message === "tuple concurrently updated");
}

async function applyMigrations(client: pg.Client): Promise<string[]> {
  await client.query(
    "create table if not exists public.migration (name text primary key, checksum text not null, applied_at timestamptz not null default now())",
  );
  const { rows: done } = await client.query<{ name: string; checksum: string }>(
    "select name, checksum from public.migration order by name",
  );
  const known = new Map(readMigrations().map((migration) => [migration.name, migration]));
  const other = done.find(({ name, checksum }) => known.get(name)?.checksum !== checksum);
  if (other !== undefined) {
    throw new Error(
      `it was made by a newer version, or by a state before the first release, whose migration ${other.name} this version does not have. Start that version, or this one with an empty data folder or database.`,
    );
  }
  for (const { name } of done) known.delete(name);
  for (const { name, sql, checksum } of known.values()) {
    await client.query("begin");
    await client.query(sql);
    await client.query("insert into public.migration (name, checksum) values ($1, $2)", [name, checksum]);
    await client.query("commit");
  }
  return [...known.keys()];
}

type Migration = { name: string; sql: string; checksum: string };

function readMigrations(): Migration[] {
  const names = readdirSync(folder).filter((file) => file.endsWith(".sql"));
  return names.toSorted().map((name) => {
    const sql = readFileSync(new URL(name, folder), "utf8");
    return { name, sql, checksum: createHash("sha256").update(sql).digest("hex") };
  });
}
