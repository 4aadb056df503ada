import pg from "pg";
import { admin } from "./crossdock.ts";

export const roles = ["admin", "user", "viewer"] as const;
export type PersonRole = (typeof roles)[number];

/** One person of each role, all with the admin's password. The admin is the installation's first. */
export const people: Record<PersonRole, string> = { admin: admin.email, user: "user@crossdock.local", viewer: "viewer@crossdock.local" };

/** Adds the user and the viewer, with access to every tenant that there is. */
export async function addPeople(ownerUrl: string): Promise<void> {
  const owner = new pg.Client({ connectionString: ownerUrl });
  await owner.connect();
  try {
    await owner.query(
      `insert into hub."user" (email, name, role, password_hash)
       select person.email, person.name, person.role, known.password_hash
       from (values ($1, 'Uli', 'user'), ($2, 'Vera', 'viewer')) person (email, name, role), hub."user" known
       where known.email = $3`,
      [people.user, people.viewer, people.admin],
    );
    await owner.query(
      `insert into hub.user_tenant (tenant_id, user_id) select tenant.id, "user".id from hub.tenant, hub."user" where role <> 'admin'`,
    );
  } finally {
    await owner.end();
  }
}
