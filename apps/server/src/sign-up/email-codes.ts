import { createHmac, randomInt, randomUUID } from "node:crypto";
import type pg from "pg";
import { oneByOne } from "../db.ts";
import { ApiError } from "../errors/errors.ts";
import type { Origin } from "../session/guesses.ts";

type Purpose = "sign-up" | "password-reset";

export const codeMinutes = 15;
/** Of one code. With the askings that strangers have a day, the chance to guess one of an address stays below one in twenty thousand a day. */
const attemptsMax = 5;
/**
 * Askings of one address: from one network, and from all together where its person never signed in. Where they did, askings from elsewhere don't
 * count, so that strangers can't use up what the owner needs. What is beyond gets the same answer, no mail, and no code that fits: each code may be
 * guessed at.
 */
const askingsMax = { network: { hour: 3, day: 5 }, strangers: { hour: 5, day: 10 } };

type Asking = {
  purpose: Purpose;
  email: string;
  origin: Origin;
  /** Of a sign-up. */
  account: { name: string; passwordHash: string; locale: string } | null;
  /** False: nothing is to be had by this asking, and nobody is told; no code will ever fit. */
  isReal: boolean;
};

type Asked = {
  attemptId: string;
  code: string;
  /** False: this address has had enough mail for now. */
  isMailDue: boolean;
  /** An earlier asking waits for its code still. */
  isRepeated: boolean;
};

const countSql = `
  select
    count(*) filter (where network = $3 and created_at > now() - interval '1 hour') < $5
      and count(*) filter (where network = $3) < $6
      and ($4 or count(*) filter (where not is_known_network and created_at > now() - interval '1 hour') < $7
        and count(*) filter (where not is_known_network) < $8) as "isMailDue",
    coalesce(bool_or(code_hash is not null and used_at is null and expires_at > now()), false) as "isRepeated"
  from hub.email_code where email = $1 and purpose = $2 and is_mailed and created_at > now() - interval '1 day'`;

const insertSql = `
  with over as (delete from hub.email_code where created_at < now() - interval '1 day')
  insert into hub.email_code (id, purpose, email, network, is_known_network, is_mailed, code_hash, name, password_hash, locale, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, now() + make_interval(mins => $11))`;

/** Keeps an asking, real or not, with the same work for both. */
export async function ask(client: pg.ClientBase, key: Buffer, { purpose, email, origin, account, isReal }: Asking): Promise<Asked> {
  const attemptId = randomUUID();
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  await oneByOne(client, `code for ${purpose} ${email}`);
  const place = [origin.network, origin.isKnown];
  const limits = [askingsMax.network, askingsMax.strangers].flatMap(({ hour, day }) => [hour, day]);
  const { rows } = await client.query<Pick<Asked, "isMailDue" | "isRepeated">>(countSql, [email, purpose, ...place, ...limits]);
  const { isMailDue, isRepeated } = rows[0] ?? { isMailDue: false, isRepeated: false };
  const codeHash = isReal && isMailDue ? hashOf(key, attemptId, code) : null;
  const kept = isReal ? account : null;
  const values = [attemptId, purpose, email, ...place, isMailDue, codeHash, kept?.name, kept?.passwordHash, kept?.locale, codeMinutes];
  await client.query(insertSql, values);
  return { attemptId, code, isRepeated, isMailDue };
}

const redeemSql = `
  update hub.email_code
  set attempts = attempts + 1, used_at = case when code_hash = $3 then now() end
  where id = $1 and purpose = $2 and used_at is null and expires_at > now() and attempts < $4
  returning email, name, password_hash as "passwordHash", locale, attempts, (code_hash = $3) is true as "isRight"`;

type Redeemed = { email: string; name: string | null; passwordHash: string | null; locale: string | null };

/**
 * Uses a code, which works once. Every try counts, in a statement of its own, so that the failure of what comes after it gives none back.
 * Throws code-wrong, or code-expired for one that is used, over, tried too often or was never given out.
 */
export async function redeem(pool: pg.Pool, key: Buffer, purpose: Purpose, attemptId: string, code: string): Promise<Redeemed> {
  const { rows } = await pool.query<Redeemed & { attempts: number; isRight: boolean }>(redeemSql, [
    attemptId,
    purpose,
    hashOf(key, attemptId, code),
    attemptsMax,
  ]);
  const [tried] = rows;
  if (!tried) throw new ApiError("code-expired");
  if (!tried.isRight) throw new ApiError(tried.attempts >= attemptsMax ? "code-expired" : "code-wrong");
  return tried;
}

function hashOf(key: Buffer, attemptId: string, code: string): Buffer {
  return createHmac("sha256", key).update(`${attemptId} ${code}`).digest();
}
