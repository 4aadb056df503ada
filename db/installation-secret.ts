import { randomBytes, scryptSync, timingSafeEqual } from "node:crypto";
import type pg from "pg";

/**
 * Keeps a salted hash of the secret of whoever comes first, and throws when another secret comes later: its roles' passwords would shut the
 * first one's processes out, and theirs shut it out in turn. Called under the lock of `migrate`, before anything is changed.
 */
export async function claimSecret(client: pg.Client, secret: string): Promise<void> {
  await client.query(
    "create table if not exists public.installation (is_only boolean primary key default true check (is_only), salt bytea not null, secret_hash bytea not null)",
  );
  const { rows } = await client.query<{ salt: Buffer; hash: Buffer }>("select salt, secret_hash as hash from public.installation");
  const [known] = rows;
  if (!known) {
    const salt = randomBytes(16);
    await client.query("insert into public.installation (salt, secret_hash) values ($1, $2)", [salt, hashOf(secret, salt)]);
  } else if (!timingSafeEqual(hashOf(secret, known.salt), known.hash)) {
    throw new Error(
      "it was set up with another secret. Start with that one, by CROSSDOCK_SECRET or by the file secret.key of the data folder; docs/security.md says how to change it.",
    );
  }
}

function hashOf(secret: string, salt: Buffer): Buffer {
  return scryptSync(secret, salt, 32);
}
