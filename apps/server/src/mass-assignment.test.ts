import { routes } from "@crossdock/contract";
import type { LightMyRequestResponse } from "fastify";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { routeOf, stageChanges, type Ask, type Changes } from "./testing/changes.ts";

/** Fields that no caller may set are added to an otherwise valid body of every route. */

const planted = {
  id: 424_242,
  userId: 424_242,
  user_id: 424_242,
  tenantId: 424_242,
  tenant_id: 424_242,
  createdBy: 424_242,
  version: 424_242,
  role: "admin",
  isAdmin: true,
  is_admin: true,
  isActive: true,
  passwordHash: "mass-assigned",
  password_hash: "mass-assigned",
  hash: "mass-assigned",
  keyHash: "mass-assigned",
  createdAt: "2001-02-03T04:05:06Z",
  created_at: "2001-02-03T04:05:06Z",
  constructor: "mass-assigned",
};

type Schema = { properties?: Record<string, unknown>; additionalProperties?: unknown; [part: string]: unknown };
const bodies = Object.entries(routes).flatMap(([name, { body }]) =>
  body ? [{ name, schema: z.toJSONSchema(body, { io: "input", unrepresentable: "any" }) }] : [],
);

/** Every object that a schema describes, with where it stands. */
function objectsIn(schema: unknown, path: string): { path: string; object: Schema }[] {
  if (typeof schema !== "object" || schema === null) return [];
  const inner = Object.entries(schema).flatMap(([part, value]) =>
    objectsIn(value, /^\d+$|^(properties|anyOf|oneOf|allOf|items)$/.test(part) ? path : `${path}.${part}`),
  );
  return "type" in schema && schema.type === "object" ? [{ path, object: schema }, ...inner] : inner;
}

/** Those of the planted properties that a route takes by right. */
function ownOf(name: string): string[] {
  const schema = bodies.find((body) => body.name === name)?.schema;
  const tops = objectsIn(schema, "").filter(({ path }) => path === "");
  return Object.keys(planted).filter((property) => tops.some(({ object }) => Object.hasOwn(object.properties ?? {}, property)));
}

test("the role, a version or whether something is on is said to few routes, and nothing else of what is the server's to any", () => {
  const own = bodies.flatMap(({ name }) => ownOf(name).map((property) => `${name}: ${property}`));
  expect(own.filter((property) => !property.endsWith(": isActive")).toSorted()).toEqual([
    "createApiKey: role",
    "inviteUser: role",
    // The version that was read: it is compared, not written.
    "triageDeadLetterGroup: version",
    "updateTenantLimits: version",
    "updateUser: role",
  ]);
  const switched = own
    .filter((property) => property.endsWith(": isActive"))
    .map((property) => routeOf(property.split(":")[0] ?? "").permission);
  expect(new Set(switched)).toEqual(new Set(["administer", "configure"]));
});

test("what a schema does not name is refused, wherever it stands in a body", () => {
  const lax = bodies.flatMap(({ name, schema }) =>
    objectsIn(schema, name)
      .filter(({ object }) => object.additionalProperties === undefined)
      .map(({ path }) => path),
  );
  expect(lax).toEqual([]);
  const open = bodies.flatMap(({ name, schema }) =>
    objectsIn(schema, name)
      .filter(({ object }) => object.additionalProperties !== undefined && object.additionalProperties !== false)
      .map(({ path }) => path),
  );
  // Names of the caller's own, each with a schema of what stands there; settings and credentials are checked against their connector's.
  expect([...new Set(open)].toSorted()).toEqual([
    "createAnnouncement.translations",
    "createImport.mapping",
    "createIntegrationPoint.credentials",
    "createIntegrationPoint.settings",
    "createJob.$defs.DocumentPatch.merge",
    "previewImport.mapping",
    "previewIntegrationPoint.change.secrets",
    "previewIntegrationPoint.change.settings",
    "testConnection.credentials",
    "testConnection.settings",
    "updateIntegrationPoint.credentials",
    "updateIntegrationPoint.secrets",
    "updateIntegrationPoint.settings",
  ]);
});

let plain: Changes;
let attacked: Changes;
beforeAll(async () => {
  [plain, attacked] = [await stageChanges(), await stageChanges()];
});
afterAll(async () => {
  await plain.made.close();
  await attacked.made.close();
});

function plant(name: string, body: object): object {
  const own = new Set([...ownOf(name), ...Object.keys(body)]);
  return { ...body, ...Object.fromEntries(Object.entries(planted).filter(([property]) => !own.has(property))) };
}

/** Routes that refused what was planted in their body. */
const refused = new Set<string>();

/** Asks with what is planted, which must be refused by its name, and then without it. */
const attack: Ask = async (name, account, call) => {
  if (call.body) {
    const answer = await attacked.ask(name, account, { ...call, body: plant(name, call.body) });
    expect({ name, body: answer.json<object>() }).toMatchObject({ name, body: { status: 400, code: "validation-failed" } });
    expect(answer.body).toContain("passwordHash");
    refused.add(name);
  }
  return attacked.ask(name, account, call);
};

/** Two installations never agree in these: names of messages and sessions, secrets, times. */
const told = (text: string): string =>
  text
    .replaceAll(/whsec_[A-Za-z0-9_+/=-]+|cdk_[A-Za-z0-9_-]+/g, "SECRET")
    .replaceAll(/\$argon2id[^"\\]+|[A-Za-z0-9_+/=-]{40,}/g, "SECRET")
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UUID")
    .replaceAll(/\b\d{15,18}\b/g, "MESSAGE")
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|[+-]\d\d(:\d\d)?)?/g, "TIME")
    .replaceAll(/"(durationMs|ms)":\d+/g, '"$1":0');
const toldOf = ({ statusCode, body }: LightMyRequestResponse) => ({ statusCode, body: told(body) });

test("every route that changes something refuses what is planted in its body, and then answers as if nothing had been", async () => {
  for (const name of Object.keys(plain.calls)) {
    await plain.prepare(name);
    await attacked.prepare(name, attack);
    const [left, right] = [plain.calls[name]?.() ?? {}, attacked.calls[name]?.() ?? {}];
    const expected = await plain.ask(name, "admin", left);
    const answer = await attack(name, "admin", right);
    expect({ name, ...toldOf(answer) }).toEqual({ name, ...toldOf(expected) });
    await plain.keep(name, expected);
    await attacked.keep(name, answer);
  }
  expect(refused.size).toBeGreaterThan(50);
});

type Row = { name: string; row: string };

async function everyRow({ owner }: Changes): Promise<Row[]> {
  const tables = await owner.query<{ name: string }>(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('hub', 'queue')`,
  );
  const rows: Row[] = [];
  for (const { name } of tables.rows) {
    const found = await owner.query<{ row: string }>(`select to_jsonb(t)::text as row from ${name} t`);
    for (const { row } of found.rows) rows.push({ name, row });
  }
  return rows;
}

test("nothing that was planted is in any table", async () => {
  const rows = await everyRow(attacked);
  expect(rows.length).toBeGreaterThan(200);
  expect(rows.filter(({ row }) => /424242|mass-assigned|2001-02-03/.test(row))).toEqual([]);
});

// A schedule is removed again in the end: its answers were compared.
const kept = ["user", "user_tenant", "api_key", "tenant", "subtenant", "session", "alert_rule", "alert_channel", "job", "run"];

test.each(kept)("what the table %s holds is the same as if nothing had been planted", async (table) => {
  const rowsOf = async ({ owner }: Changes): Promise<string[]> => {
    const { rows } = await owner.query<{ row: string }>(`select to_jsonb(t)::text as row from hub."${table}" t`);
    return rows.map(({ row }) => told(row)).toSorted();
  };
  const expected = await rowsOf(plain);
  expect(expected).not.toEqual([]);
  expect(await rowsOf(attacked)).toEqual(expected);
});

test.each(['"__proto__":{"role":"admin"}', '"constructor":{"prototype":{"role":"admin"}}'])(
  "%s is refused by every route",
  async (property) => {
    for (const { name } of bodies) {
      const { method, path, permission } = routeOf(name);
      const answer = await attacked.made.app.inject({
        method,
        url: path.replace(":tenantCode", "acme").replaceAll(/:\w+/g, "1"),
        headers: {
          "content-type": "application/json",
          ...(permission !== "public" && { authorization: `Bearer ${attacked.made.accounts.admin}` }),
        },
        payload: `{${property}}`,
      });
      expect({ name, body: answer.json<object>() }).toMatchObject({ name, body: { status: 400, code: "bad-json" } });
    }
    expect(({} as Record<string, unknown>).role).toBeUndefined();
  },
);
