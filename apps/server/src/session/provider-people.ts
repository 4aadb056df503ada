import type pg from "pg";
import type { PersonRole } from "@crossdock/contract";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { hasJoinedSql } from "../access/has-joined.ts";
import type { Provider } from "./provider-config.ts";
import type { ProvenPerson } from "./providers.ts";

/** What the person's groups grant in all; null where the provider's groups grant nothing. */
type Grants = { role: PersonRole; tenants: string[]; isMember: boolean };

const ranks: readonly PersonRole[] = ["viewer", "user", "admin"];

/** The highest role and all tenants of the known groups; without any of these, a viewer without a tenant. */
function grantsOf({ groups: known }: Pick<Provider, "groups">, groups: string[]): Grants | null {
  if (known === null) return null;
  const given = groups.flatMap((group) => (Object.hasOwn(known, group) && known[group] ? [known[group]] : []));
  const rank = Math.max(0, ...given.map(({ role }) => ranks.indexOf(role)));
  return { role: ranks[rank] ?? "viewer", tenants: [...new Set(given.flatMap(({ tenants }) => tenants))], isMember: given.length > 0 };
}

const findSql = `
  select "user".id, "user".is_active as "isActive" from hub.identity join hub."user" on "user".id = identity.user_id
  where identity.issuer = $1 and identity.subject = $2`;

// Locked, as an invitation may be taken back at that moment.
const linkSql = `
  with person as (select id, is_active from hub."user" where email = $3 for key share),
  linked as (insert into hub.identity (issuer, subject, user_id) select $1, $2, id from person on conflict (issuer, subject) do nothing)
  select id, is_active as "isActive" from person`;

const createSql = `
  with person as (insert into hub."user" (email, name, role) values ($3, $4, 'viewer') on conflict (email) do nothing returning id),
  linked as (insert into hub.identity (issuer, subject, user_id) select $1, $2, id from person)
  select id, true as "isActive" from person`;

// In the order of their ids, so that of two admins who lose the role at once the second waits, instead of each counting on the other.
const lockSql = `
  select from hub."user" where role = 'admin' and is_active and $2 <> 'admin' and exists (select from hub."user" own where own.id = $1 and own.role = 'admin')
  order by id for no key update`;

// The last admin stays one, so that a wrong mapping locks nobody out of the installation.
const roleSql = `
  update hub."user" set role = $2
  where id = $1 and role <> $2
    and (role <> 'admin' or exists (select from hub."user" where role = 'admin' and is_active and id <> $1 and ${hasJoinedSql}))`;

type PersonRow = { id: number; isActive: boolean };

/**
 * The account of the person whom a provider has identified: the one used before; else the one with their verified address; else a new one, where
 * people may sign up or their groups give them something. Groups are applied with every sign-in. `told` is what the audit event of the sign-in
 * has to say of that. Throws provider-refused, sign-up-closed.
 */
export async function personOf(
  client: pg.ClientBase,
  provider: Provider,
  proven: ProvenPerson,
  isSignUpOpen: boolean,
): Promise<{ userId: number; told: Record<string, unknown> }> {
  const grants = grantsOf(provider, proven.groups);
  const identity = [proven.issuer, proven.subject];
  let isNew = false;
  let [person] = (await client.query<PersonRow>(findSql, identity)).rows;
  if (!person) {
    if (proven.email === null) throw new ApiError("provider-refused", because("provider-without-email"));
    const ofAddress = [...identity, proven.email];
    [person] = (await client.query<PersonRow>(linkSql, ofAddress)).rows;
    if (!person) {
      if (!isSignUpOpen && !grants?.isMember) throw new ApiError("sign-up-closed");
      [person] = (await client.query<PersonRow>(createSql, [...ofAddress, proven.name ?? ""])).rows;
      isNew = person !== undefined;
      // Somebody made it meanwhile: the same person in another tab, or with a code by mail.
      if (!person) [person] = (await client.query<PersonRow>(linkSql, ofAddress)).rows;
    }
  }
  if (!person) throw new ApiError("provider-refused");
  if (!person.isActive)
    throw new ApiError("provider-refused", { attempt: { userId: person.id, after: { provider: provider.id, isActive: false } } });
  const isChanged = grants !== null && (await apply(client, person.id, grants));
  const given = (isNew || isChanged) && grants !== null ? { role: grants.role, tenants: grants.tenants } : {};
  return { userId: person.id, told: { provider: provider.id, isNew, ...given } };
}

/** Returns whether anything changed. */
async function apply(client: pg.ClientBase, userId: number, { role, tenants }: Grants): Promise<boolean> {
  const grantsSql = `select coalesce(array_agg(tenant_code), '{}') as codes from hub.grants_of_users(array[$1::integer])`;
  const codes = async (): Promise<string> => String((await client.query<{ codes: string[] }>(grantsSql, [userId])).rows[0]?.codes);
  const before = await codes();
  await client.query(lockSql, [userId, role]);
  const { rowCount } = await client.query(roleSql, [userId, role]);
  await client.query("select hub.set_grants($1, $2)", [userId, tenants]);
  const isChanged = rowCount === 1 || before !== (await codes());
  if (isChanged) await client.query(`update hub."user" set version = version + 1 where id = $1`, [userId]);
  return isChanged;
}
