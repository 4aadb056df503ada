import type pg from "pg";
import { User, type UserSession } from "@crossdock/contract";
import { z } from "zod";
import { notFound } from "../errors/errors.ts";

const columns = `
  person.id, person.email, person.name, person.role, person.avatar, person.version,
  case when not person.is_active then 'disabled' when person.password_hash is null
    and not exists (select from hub.identity where identity.user_id = person.id) then 'invited' else 'active' end as state,
  queue.iso(person.created_at) as "createdAt", queue.iso(person.last_seen_at) as "lastSeenAt",
  queue.iso(invitation.expires_at) as "invitedUntil",
  (select count(*)::integer from hub.session where session.user_id = person.id and session.revoked_at is null and session.expires_at > now())
    as sessions,
  coalesce((select array_agg(grant_.tenant_code) from hub.grants_of_users(array[person.id]) grant_), '{}') as tenants`;

const from = `hub."user" person left join hub.invitation on invitation.user_id = person.id`;

const listSql = `
  select * from (
    select ${columns} from ${from}
    where ($1::text is null or position(lower($1) in lower(person.name)) > 0 or position(lower($1) in person.email) > 0)
      and ($2::text is null or person.role = $2) and ($4::text is null or person.email > $4)
  ) listed
  where ($3::text is null or state = $3) and ($6::text is null or state <> 'disabled' and (role = 'admin' or $6 = any(tenants)))
  order by email limit $5`;

type UserFilter = { search?: string | undefined; role?: string | undefined; state?: string | undefined; tenant?: string | undefined };

/** By email, those after `afterEmail`. */
export async function listUsers(
  db: pg.Pool,
  { search, role, state, tenant }: UserFilter,
  afterEmail: string | null,
  limit: number,
): Promise<User[]> {
  const { rows } = await db.query(listSql, [search ?? null, role ?? null, state ?? null, afterEmail, limit, tenant ?? null]);
  return rows.map((row) => User.parse(row));
}

/** Throws not-found for an id that nobody has. */
export async function readUser(db: pg.ClientBase | pg.Pool, userId: number): Promise<User> {
  const { rows } = await db.query(`select ${columns} from ${from} where person.id = $1`, [userId]);
  if (!rows[0]) throw notFound();
  return User.parse(rows[0]);
}

const sessionsSql = `
  select id, user_agent as "userAgent", address, queue.iso(created_at) as "createdAt", queue.iso(refreshed_at) as "lastSeenAt",
    queue.iso(expires_at) as "expiresAt", id = $2::uuid as "isCurrent"
  from hub.session where user_id = $1 and revoked_at is null and expires_at > now()
  order by refreshed_at desc, id`;

/** The open sessions of a person; `currentId` is the one that asks. */
export async function listSessions(db: pg.Pool, userId: number, currentId: string): Promise<UserSession[]> {
  const known = await db.query(`select from hub."user" where id = $1`, [userId]);
  if (known.rowCount === 0) throw notFound();
  return (await db.query<UserSession>(sessionsSql, [userId, currentId])).rows;
}

export const UserPlace = z.string().max(320);

/** What an audit event tells of a person: what admins decide. */
export const accountOf = ({ email, name, role, state, tenants }: User) => ({ email, name, role, state, tenants });
