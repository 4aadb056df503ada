import { randomBytes } from "node:crypto";
import type pg from "pg";
import { hashPassword, verifyPassword } from "./passwords.ts";

export type FirstAdmin = {
  userId: number;
  email: string;
  /** Set if the password was made just now, which is the only time it can be shown. */
  newPassword: string | null;
};

type AdminRow = { id: number; email: string; passwordHash: string | null };

/**
 * Makes the first admin when there is no user yet. A password from the environment becomes the password of the admin with that email,
 * also at later starts: that is how a forgotten password is replaced.
 */
export async function ensureFirstAdmin(pool: pg.Pool, email: string, password: string | null): Promise<FirstAdmin | null> {
  const generated = randomBytes(12).toString("base64url");
  const created = await pool.query<{ id: number }>(createSql, [email, await hashPassword(password ?? generated)]);
  if (created.rows[0]) return { userId: created.rows[0].id, email, newPassword: password === null ? generated : null };
  const { rows } = await pool.query<AdminRow>(findSql, [email]);
  const [admin] = rows;
  if (!admin) return null;
  if (password !== null && admin.email === email && !(await verifyPassword(admin.passwordHash, password))) {
    await pool.query(resetSql, [admin.id, await hashPassword(password)]);
  }
  return { userId: admin.id, email: admin.email, newPassword: null };
}

// Two processes may start at once: the second finds the email taken.
const createSql = `
  insert into hub."user" (email, name, role, password_hash)
  select $1, 'Administrator', 'admin', $2 where not exists (select from hub."user")
  on conflict do nothing returning id`;

const findSql = `
  select id, email, password_hash as "passwordHash" from hub."user"
  where role = 'admin' and is_active order by email = $1 desc, id limit 1`;

// Whoever knew the old password is signed out.
const resetSql = `
  with ended as (update hub.session set revoked_at = now() where user_id = $1 and revoked_at is null)
  update hub."user" set password_hash = $2 where id = $1`;
