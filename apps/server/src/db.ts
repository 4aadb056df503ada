import pg from "pg";
import type { Logger } from "pino";
import { StartError } from "./installation/start-error.ts";
import { noteFailure, noteWritten } from "./writability.ts";

/**
 * The pools of a process. `app` and `readOnly` connect as crossdock_app, `worker` as crossdock_worker. Lists and counts use `readOnly`,
 * whose statements end after 10 seconds, so that no reader can hold back the engine's vacuum.
 */
export type Pools = { app: pg.Pool; readOnly: pg.Pool; worker: pg.Pool };

type PoolOptions = { appUrl: string; workerUrl: string; size: number; logger: Logger; limitsMs?: Record<keyof Pools, number> };

/** How long the database lets a statement of each pool take. */
const statementLimitsMs = { app: 30_000, readOnly: 10_000, worker: 60_000 };

/** What is read and written in one way, however the database, its server or the role are set. */
const sessionOptions = [
  "-c datestyle=ISO",
  "-c intervalstyle=postgres",
  "-c timezone=UTC",
  // Off, the first refuses what row-level security would filter, the second makes texts of the nulls in arrays, and the third takes backslashes away.
  "-c row_security=on",
  "-c array_nulls=on",
  "-c standard_conforming_strings=on",
  // What is read after a lock was granted must be what the lock protects.
  "-c default_transaction_isolation=read\\ committed",
  // The pools have limits of their own. A short one for locks would fail work that only has to wait its turn; one for idle sessions end who listens.
  "-c lock_timeout=0",
  "-c idle_session_timeout=0",
].join(" ");

export function createPools({ appUrl, workerUrl, size, logger, limitsMs = statementLimitsMs }: PoolOptions): Pools {
  const create = (name: string, connectionString: string, limitMs: number, options: string): pg.Pool => {
    const pool = new pg.Pool({
      connectionString,
      max: size,
      options: `-c statement_timeout=${limitMs} ${sessionOptions} ${options}`,
      // A server that has vanished without a word, as in a failover, ends no statement: then the connection is given up on this side.
      query_timeout: limitMs * 1.5,
      application_name: `crossdock ${name}`,
      connectionTimeoutMillis: 10_000,
      // Statements are sent at once, without waiting for the answer to the one before. See `inTenantAtOnce`.
      pipeline: true,
    });
    // An idle connection that breaks is replaced by the pool; without a listener the event would end the process.
    pool.on("error", (error) => {
      if (!pool.ending) logger.warn({ err: error, pool: name }, "an idle database connection broke");
    });
    // One that breaks in use fails its query, which says all there is to say; this event, too, would end the process without a listener.
    pool.on("connect", (client) => client.on("error", () => undefined));
    return pool;
  };
  return {
    app: create("app", appUrl, limitsMs.app, "-c idle_in_transaction_session_timeout=60s"),
    readOnly: create(
      "read-only",
      appUrl,
      limitsMs.readOnly,
      "-c default_transaction_read_only=on -c idle_in_transaction_session_timeout=20s",
    ),
    worker: create("worker", workerUrl, limitsMs.worker, "-c idle_in_transaction_session_timeout=60s"),
  };
}

export async function closePools(pools: Pools): Promise<void> {
  await Promise.all([pools.app.end(), pools.readOnly.end(), pools.worker.end()]);
}

/**
 * Runs `work` in one transaction that sees and writes the given tenant only. Commits when it resolves, rolls back when it throws.
 * The tenant is set here and in `inTenantAtOnce`, nowhere else; row-level security does the rest.
 */
export async function inTenant<Result>(pool: pg.Pool, tenantId: number, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const begin = beginIn(tenantId);
  return withClient(pool, async (client) => {
    await client.query(begin);
    const result = await work(client);
    checkEnd(await client.query("commit"));
    return result;
  });
}

/**
 * `inTenant` for what is done thousands of times a second. It waits neither for the answer to `begin` before the work nor for the answers to the
 * last statements before `commit`, so the whole takes one round trip, or one more than `work` waits for. `work` resolves with a function that
 * sends its last statements; it must send all of them before it waits for any. When one of them fails, the commit rolls back.
 */
export async function inTenantAtOnce<Result>(
  pool: pg.Pool,
  tenantId: number,
  work: (client: pg.PoolClient) => Promise<() => Promise<Result>> | (() => Promise<Result>),
): Promise<Result> {
  const begin = beginIn(tenantId);
  return withClient(pool, async (client) => {
    const begun = client.query(begin);
    // If it fails there is no tenant, and every statement after it fails, too.
    begun.catch(() => undefined);
    const last = await work(client);
    const [, result, end] = await inOrder([begun, last(), client.query("commit")]);
    checkEnd(end);
    noteWritten(pool);
    return result;
  });
}

/** PostgreSQL answers the commit of a failed transaction with a rollback, without an error. */
function checkEnd({ command }: pg.QueryResult): void {
  if (command !== "COMMIT") throw new Error(`the transaction ended with ${command}`);
}

async function withClient<Result>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  try {
    return await work(client);
  } catch (error) {
    noteFailure(pool, error);
    await client.query("rollback").catch((failure: unknown) => {
      broken = failure instanceof Error ? failure : new Error(String(failure));
    });
    throw error;
  } finally {
    client.release(broken);
  }
}

/**
 * The results of statements that were sent one after another. Throws the first one's error once all have ended: those after
 * it only say that the transaction has failed.
 */
export async function inOrder<Statements extends readonly Promise<unknown>[] | []>(
  statements: Statements,
): Promise<{ -readonly [Index in keyof Statements]: Awaited<Statements[Index]> }> {
  const ends = await Promise.allSettled(statements);
  for (const end of ends) if (end.status === "rejected") throw end.reason;
  return Promise.all(statements);
}

/** One round trip. The simple protocol takes no parameters; the id has been checked to be an integer. */
function beginIn(tenantId: number): string {
  if (!Number.isInteger(tenantId)) throw new TypeError(`not a tenant id: ${tenantId}`);
  return `begin; set local crossdock.tenant_id = '${tenantId}'`;
}

/**
 * `inTenant` for work that its caller may abandon: when `signal` aborts, the statement under way is cancelled in the database, too, and
 * the promise rejects.
 */
export async function inTenantUntil<Result>(
  signal: AbortSignal,
  pool: pg.Pool,
  tenantId: number,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  return inTenant(pool, tenantId, async (client) => {
    signal.throwIfAborted();
    const cancelled: Promise<unknown>[] = [];
    const cancel = (): void => {
      cancelled.push(cancelStatement(pool, backendOf(client)).catch(() => undefined));
    };
    signal.addEventListener("abort", cancel, { once: true });
    try {
      return await work(client);
    } finally {
      signal.removeEventListener("abort", cancel);
      // Only then does the connection go back to the pool: the cancellation must not hit somebody else's statement.
      await Promise.all(cancelled);
      signal.throwIfAborted();
    }
  });
}

/** By a connection of its own: where all of the pool's are to be cancelled, each would wait for another to come free. */
async function cancelStatement(pool: pg.Pool, backend: number): Promise<void> {
  const client = new pg.Client(pool.options);
  // One that breaks in use fails its query; this event would end the process without a listener.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select pg_cancel_backend($1)", [backend]);
  } finally {
    await client.end();
  }
}

/** The driver knows its backend's process id; its types do not. */
function backendOf(client: pg.PoolClient): number {
  if (!("processID" in client) || typeof client.processID !== "number") throw new TypeError("the database connection has no process id");
  return client.processID;
}

/** Refuses a connection whose role would see through row-level security. */
export async function verifyRole(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ name: string; isSuperuser: boolean; bypassesRls: boolean; ownsTables: boolean }>(roleSql);
  const [role] = rows;
  if (!role) throw new Error("The database does not say who is connected.");
  const faults = [
    role.isSuperuser && "is a superuser",
    role.bypassesRls && "has BYPASSRLS",
    role.ownsTables && "owns, or is a member of the owner of, Crossdock's tables",
  ].filter((fault) => fault !== false);
  if (faults.length > 0) {
    throw new StartError(
      `The database role ${role.name} ${faults.join(", ")}: tenants would not be separated. Use the roles that the migration makes.`,
    );
  }
}

/**
 * Refuses a connection that has lost what the pool's options set: a pooler in between may be told to drop them, and lists would then run
 * without a limit and could write. A pooler that shares connections by transaction loses notifications as well.
 */
export async function verifySettings(readOnly: pg.Pool): Promise<void> {
  const { rows } = await readOnly.query<{ isKept: boolean }>(settingsSql);
  if (rows[0]?.isKept) return;
  throw new StartError(
    "The database connection loses the settings that it was opened with. Either its URL brings its own (options or statement_timeout): leave these out. Or a pooler in between, such as PgBouncer, drops them: connect to PostgreSQL itself; docs/running.md says why.",
  );
}

const settingsSql = `
  select current_setting('default_transaction_read_only')::boolean and current_setting('statement_timeout') = '10s' as "isKept"`;

const roleSql = `
  select
    role.rolname as name,
    role.rolsuper as "isSuperuser",
    role.rolbypassrls as "bypassesRls",
    exists (
      select from pg_class join pg_namespace on pg_namespace.oid = pg_class.relnamespace
      where pg_namespace.nspname in ('hub', 'queue') and pg_class.relkind in ('r', 'p') and pg_has_role(role.oid, pg_class.relowner, 'member')
    ) as "ownsTables"
  from pg_roles role
  where role.rolname = current_user`;

/** The next id of a table, for a row whose id is needed before it is written. */
export async function drawId(db: pg.Pool | pg.ClientBase, table: `hub.${string}`): Promise<number> {
  const { rows } = await db.query<{ id: number }>("select nextval(pg_get_serial_sequence($1, 'id'))::integer as id", [table]);
  if (!rows[0]) throw new Error(`${table} has no sequence`);
  return rows[0].id;
}

const oneByOneSql = "select pg_advisory_xact_lock(hashtextextended($1, 0))";

/** Waits until no other transaction does what is named so, and keeps others waiting until this one ends: each sees what those before it wrote. */
export async function oneByOne(client: pg.ClientBase, name: string): Promise<void> {
  await client.query(oneByOneSql, [name]);
}

const besideSql = "select pg_advisory_xact_lock_shared(hashtextextended($1, 0))";

/** Does what is named so beside others who do: only whoever does it `oneByOne` waits until all of them have ended, and keeps others waiting. */
export async function besideOthers(client: pg.ClientBase, name: string): Promise<void> {
  await client.query({ name: "beside-others", text: besideSql, values: [name] });
}
