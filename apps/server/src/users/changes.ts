import { randomBytes } from "node:crypto";
import type pg from "pg";
import type { PersonRole, User } from "@crossdock/contract";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { hasJoinedSql } from "../access/has-joined.ts";
import { sha256 } from "../keys/sha256.ts";
import { endSessions } from "../session/sessions.ts";
import { readUser } from "./rows.ts";

/** A link that nobody follows within so many days is dead. */
export const invitationDays = 7;

type NewUser = { email: string; name: string; role: PersonRole; locale: string; tenants: string[] };

/** Makes a person who can't sign in until the invitation's link was followed. */
export async function createUser(client: pg.ClientBase, { email, name, role, locale, tenants }: NewUser): Promise<number> {
  const sql = `insert into hub."user" (email, name, role, locale) values ($1, $2, $3, $4) on conflict (email) do nothing returning id`;
  const { rows } = await client.query<{ id: number }>(sql, [email, name, role, locale]);
  if (!rows[0]) throw new ApiError("already-exists", because("person-known"));
  await setGrants(client, rows[0].id, tenants);
  return rows[0].id;
}

const inviteSql = `
  insert into hub.invitation (user_id, token_hash, expires_at) values ($1, $2, now() + make_interval(days => $3))
  on conflict (user_id) do update set token_hash = excluded.token_hash, expires_at = excluded.expires_at, created_at = now()
  returning queue.iso(expires_at) as "expiresAt", (select locale from hub."user" where id = $1) as locale`;

type Invited = { token: string; expiresAt: string; locale: string | null };

/** A new secret for the person's link; the one before is worth nothing from now on. */
export async function invite(client: pg.ClientBase, userId: number): Promise<Invited> {
  const token = randomBytes(32).toString("base64url");
  const { rows } = await client.query<Omit<Invited, "token">>(inviteSql, [userId, sha256(token), invitationDays]);
  if (!rows[0]) throw new Error("the invitation was not written");
  return { token, ...rows[0] };
}

/** Removes somebody who has never signed in, with their link and grants. Throws conflict for everybody else, who has left traces. */
export async function removeInvited(client: pg.ClientBase, userId: number): Promise<User> {
  // Held, so that nobody follows the link meanwhile.
  await client.query(`select from hub."user" where id = $1 for update`, [userId]);
  const user = await readUser(client, userId);
  if (user.state !== "invited") throw new ApiError("conflict", because("person-not-invited"));
  await client.query(`delete from hub."user" where id = $1`, [userId]);
  return user;
}

/** Who has come in by another provider has joined: a link that lies about gives nobody a password to his account. */
const isOpenSql = `is_active and password_hash is null and not exists (select from hub.identity where identity.user_id = "user".id)`;

const openSql = `
  select email, name, locale from hub.invitation join hub."user" on "user".id = invitation.user_id
  where token_hash = $1 and expires_at > now() and ${isOpenSql}`;

type Invitee = { email: string; name: string; locale: string | null };

/** Whom the link is for. Throws not-found for one that is unknown, used or over. */
export async function readInvitation(client: pg.Pool, token: string): Promise<Invitee> {
  const { rows } = await client.query<Invitee>(openSql, [sha256(token)]);
  if (!rows[0]) throw new ApiError("not-found", because("invitation-over"));
  return rows[0];
}

const acceptSql = `
  with followed as (delete from hub.invitation where token_hash = $1 and expires_at > now() returning user_id)
  update hub."user" set name = $2, password_hash = $3 from followed
  where "user".id = followed.user_id and ${isOpenSql} returning id as "userId", email`;

type Accepted = { userId: number; email: string };

/** Throws not-found for a link that is unknown, used or over. */
export async function acceptInvitation(client: pg.ClientBase, token: string, name: string, passwordHash: string): Promise<Accepted> {
  const { rows } = await client.query<Accepted>(acceptSql, [sha256(token), name, passwordHash]);
  if (!rows[0]) throw new ApiError("not-found", because("invitation-over"));
  return rows[0];
}

type UserChange = {
  name?: string | undefined;
  role?: PersonRole | undefined;
  isActive?: boolean | undefined;
  tenants?: string[] | undefined;
  /** As against `tenants`, what others grant and take meanwhile stays. */
  grant?: string[] | undefined;
  withdraw?: string[] | undefined;
};

// In the order of their ids, so that two changes at once wait for each other instead of each counting the other's admin.
const lockSql = `select id from hub."user" where id = $1 or role = 'admin' and is_active order by id for no key update`;

const updateSql = `
  update hub."user"
  set name = coalesce($2, name), role = coalesce($3, role), is_active = coalesce($4, is_active), version = version + 1
  where id = $1`;

/** The person as they stay until the transaction changes them. Throws not-found. */
export async function lockUser(client: pg.ClientBase, userId: number): Promise<User> {
  await client.query(lockSql, [userId]);
  return readUser(client, userId);
}

/** Throws own-account for a change by which `actorId` would lock themselves out, last-admin for one that leaves no active admin. */
export async function changeUser(client: pg.ClientBase, actorId: number, before: User, change: UserChange): Promise<User> {
  const userId = before.id;
  const isDisabled = change.isActive === false;
  const isDemoted = before.role === "admin" && change.role !== undefined && change.role !== "admin";
  if (userId === actorId && (isDisabled || isDemoted)) throw new ApiError("own-account");
  const isAdmin = before.role === "admin" && before.state !== "disabled";
  const others = await client.query(`select from hub."user" where role = 'admin' and is_active and id <> $1 and ${hasJoinedSql}`, [userId]);
  if (isAdmin && (isDisabled || isDemoted) && others.rowCount === 0) throw new ApiError("last-admin");
  await client.query(updateSql, [userId, change.name ?? null, change.role ?? null, change.isActive ?? null]);
  const { tenants = before.tenants, grant = [], withdraw = [] } = change;
  if (change.tenants ?? change.grant ?? change.withdraw)
    await setGrants(
      client,
      userId,
      [...tenants, ...grant].filter((code) => !withdraw.includes(code)),
    );
  if (isDisabled) {
    await endSessions(client, userId);
    await client.query("delete from hub.invitation where user_id = $1", [userId]);
  }
  return readUser(client, userId);
}

async function setGrants(client: pg.ClientBase, userId: number, codes: string[]): Promise<void> {
  const wanted = [...new Set(codes)];
  const { rows } = await client.query<{ known: string }>("select hub.set_grants($1, $2) as known", [userId, wanted]);
  if (Number(rows[0]?.known) !== wanted.length) throw new ApiError("bad-request", because("tenants-unknown"));
}
