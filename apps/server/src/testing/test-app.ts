import type { FastifyInstance, LightMyRequestResponse } from "fastify";
import pg from "pg";
import { pino } from "pino";
import { createApp } from "../app.ts";
import { testDatabase, testSecret, type TestDatabase } from "@crossdock/db/testing";
import { readConfig } from "../config.ts";
import { closePools, createPools } from "../db.ts";
import { createKeys, type Deps } from "../deps.ts";
import { startAppParts, type AppParts } from "../app-parts.ts";
import { hashPassword } from "../session/passwords.ts";

/** `close` ends the pools and drops the database. */
export type TestDeps = Pick<TestDatabase, "ownerUrl" | "pool"> & { deps: Deps; close: () => Promise<void> };

/** What a process is wired with, on a fresh database. */
export async function testDeps(environment: Record<string, string> = {}): Promise<TestDeps> {
  const database = await testDatabase();
  const logger = pino({ level: "error" });
  const config = readConfig({ CROSSDOCK_DEMO: "0", ...environment });
  const pools = createPools({ appUrl: database.appUrl, workerUrl: database.workerUrl, size: 8, logger });
  const deps: Deps = { config, pools, logger, keys: createKeys(testSecret, config), meter: null, tracing: null };
  return {
    deps,
    ownerUrl: database.ownerUrl,
    pool: database.pool,
    close: async () => {
      await closePools(pools);
      await database.drop();
    },
  };
}

export type TestApp = TestDeps & {
  app: FastifyInstance;
  parts: AppParts;
  accounts: TestAccounts;
  /** A call as one of the accounts. */
  call: (
    account: keyof TestAccounts,
    method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
    url: string,
    payload?: object,
    headers?: Record<string, string>,
  ) => Promise<LightMyRequestResponse>;
};

/** Signed-in people: an admin, and a user and a viewer of tenant `acme`; `stranger` is a user of tenant `other`. Values are access tokens. */
export type TestAccounts = Record<"admin" | "user" | "viewer" | "stranger", string>;

export const testPassword = "correct horse battery";

/** The whole application on a fresh database with the tenants `acme` and `other`, each with a subtenant `shop`. */
export async function testApp(environment: Record<string, string> = {}): Promise<TestApp> {
  const made = await testDeps({ CROSSDOCK_RATE_LIMIT: "1000000", ...environment });
  await fill(made.ownerUrl);
  const parts = await startAppParts(made.deps);
  const app = await createApp(made.deps, parts);
  const signIn = async (name: string): Promise<string> => {
    const answer = await app.inject({
      method: "POST",
      url: "/api/v1/session",
      payload: { email: `${name}@example.com`, password: testPassword },
    });
    return answer.json<{ access_token: string }>().access_token;
  };
  const accounts = {
    admin: await signIn("admin"),
    user: await signIn("user"),
    viewer: await signIn("viewer"),
    stranger: await signIn("stranger"),
  };
  const call: TestApp["call"] = (account, method, url, payload, headers = {}) =>
    app.inject({ method, url, headers: { authorization: `Bearer ${accounts[account]}`, ...headers }, ...(payload && { payload }) });
  const close = async (): Promise<void> => {
    await app.close();
    await parts.stop();
    await made.close();
  };
  return { ...made, app, parts, accounts, call, close };
}

type Method = Parameters<TestApp["call"]>[1];
export type TenantCall = [method: Method, path: string, payload?: object, expected?: number];

/** What an admin is answered at a path of the tenant; another status than the expected one, 200 unless told, fails the test. */
export async function callTenant<Answer>(
  made: TestApp,
  code: string,
  ...[method, path, payload, expected = 200]: TenantCall
): Promise<Answer> {
  const answer = await made.call("admin", method, `/api/v1/tenants/${code}/${path}`, payload);
  if (answer.statusCode !== expected) throw new Error(`${method} ${path}: ${answer.statusCode} ${answer.body}`);
  return answer.json<Answer>();
}

/** How many of the database's connections wait for another one's lock. */
export async function waitingForLocks(owner: pg.Pool): Promise<number> {
  const { rows } = await owner.query<{ count: number }>(
    "select count(*)::integer as count from pg_stat_activity where datname = current_database() and cardinality(pg_blocking_pids(pid)) > 0",
  );
  return rows[0]?.count ?? 0;
}

async function fill(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  await owner.query(`insert into hub.tenant (id, code, name) values (1001, 'acme', 'Acme'), (1002, 'other', 'Other')`);
  await owner.query(
    `insert into hub.subtenant (tenant_id, id, code, name) values (1001, 1101, 'shop', 'Shop'), (1002, 1102, 'shop', 'Shop')`,
  );
  const people = `insert into hub."user" (id, email, name, role, password_hash) values
    (1, 'admin@example.com', 'Ada', 'admin', $1), (2, 'user@example.com', 'Uli', 'user', $1),
    (3, 'viewer@example.com', 'Vera', 'viewer', $1), (4, 'stranger@example.com', 'Stan', 'user', $1)`;
  await owner.query(people, [await hashPassword(testPassword)]);
  await owner.query(`alter table hub."user" alter column id restart with 101`);
  await owner.query("insert into hub.user_tenant (tenant_id, user_id) values (1001, 2), (1001, 3), (1002, 4)");
  await owner.end();
}
