import type pg from "pg";
import { Role, type CurrentUser } from "@crossdock/contract";

type UserRow = {
  id: number;
  name: string;
  email: string;
  avatar: string | null;
  role: string;
  locale: string | null;
  passwordHash: string | null;
  isActive: boolean;
};

const columns = `id, name, email, avatar, role, locale, password_hash as "passwordHash", is_active as "isActive"`;

export type KnownUser = { userId: number; passwordHash: string | null; isActive: boolean; currentUser: CurrentUser };

/** The person with this address, disabled or not. */
export async function findUserByEmail(pool: pg.Pool, email: string): Promise<KnownUser | null> {
  const { rows } = await pool.query<UserRow>(`select ${columns} from hub."user" where email = $1`, [email]);
  return toKnownUser(rows[0]);
}

/** A person who may sign in. */
export async function findUserById(client: pg.Pool | pg.ClientBase, userId: number): Promise<KnownUser | null> {
  const { rows } = await client.query<UserRow>(`select ${columns} from hub."user" where id = $1 and is_active`, [userId]);
  return toKnownUser(rows[0]);
}

function toKnownUser(row: UserRow | undefined): KnownUser | null {
  if (!row) return null;
  const { id, passwordHash, isActive, role, name, email, avatar, locale } = row;
  return { userId: id, passwordHash, isActive, currentUser: { _id: String(id), name, email, avatar, role: [Role.parse(role)], locale } };
}
