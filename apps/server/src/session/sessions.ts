import { createHmac, randomBytes } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { sha256 } from "../keys/sha256.ts";

/** Seconds until an unused session ends: with "remember me", and without. Every refresh starts the time anew. */
export const rememberedSeconds = 30 * 24 * 3600;
const plainSeconds = 12 * 3600;
/** Seconds after which a session ends however much it is used. */
const longest = { remembered: 180 * 24 * 3600, plain: 7 * 24 * 3600 };

/**
 * For this many seconds a token that was just exchanged may be presented again, because the answer may have been lost with the connection, which
 * takes a while to come back, or two tabs may have asked at once. The answer is the same next token, so there is never a second line of descent.
 */
const graceSeconds = 60;
/** How many seconds a used token stays known; an older one is refused without ending anything. */
const rememberUsedSeconds = 30 * 24 * 3600;

export type StartedSession = { sessionId: string; userId: number; isRemembered: boolean; refreshToken: string };
type SessionStart = {
  userId: number;
  /** As it was when the person was found. */
  passwordHash: string | null;
  isRemembered: boolean;
  userAgent: string | null;
  address: string | null;
  /** Ends it sooner than its kind does; null: as its kind. */
  secondsMax?: number | null | undefined;
};

// Who is disabled, or given another password, meanwhile ends the person's sessions: the row is waited for, so that none begins after that.
const createSql = `
  with person as materialized (select id from hub."user" where id = $1 and is_active and password_hash is not distinct from $7 for share),
  over as (delete from hub.session where user_id = $1 and (expires_at < now() or revoked_at is not null)),
  created as (
    insert into hub.session (user_id, is_remembered, user_agent, address, expires_at, ends_at)
    select id, $2, $3, $4, now() + make_interval(secs => $5), now() + make_interval(secs => $8) from person returning id)
  insert into hub.refresh_token (hash, session_id) select $6, id from created returning session_id as id`;

/** Starts a family of refresh tokens and returns its first; null when the person may no longer come in as they were found. Rows of the person's ended sessions go: their tokens are refused without them too. */
export async function createSession(client: pg.Pool | pg.ClientBase, start: SessionStart): Promise<StartedSession | null> {
  const secret = randomBytes(32).toString("base64url");
  const seconds = start.isRemembered ? rememberedSeconds : plainSeconds;
  const kindMax = start.isRemembered ? longest.remembered : longest.plain;
  const secondsMax = Math.min(kindMax, start.secondsMax ?? kindMax);
  const values = [
    start.userId,
    start.isRemembered,
    start.userAgent?.slice(0, 300) ?? null,
    start.address,
    Math.min(seconds, secondsMax),
    sha256(secret),
    start.passwordHash,
    secondsMax,
  ];
  const { rows } = await client.query<{ id: string }>(createSql, values);
  const [row] = rows;
  if (!row) return null;
  return { sessionId: row.id, userId: start.userId, isRemembered: start.isRemembered, refreshToken: `${row.id}.${secret}` };
}

// Of several that present one token, the first to get its row goes on; the others find it used.
const rotateSql = `
  with used as (
    update hub.refresh_token token set used_at = now()
    from hub.session join hub."user" on "user".id = session.user_id
    where token.hash = $2 and token.session_id = $1 and token.used_at is null
      and session.id = token.session_id and session.revoked_at is null and session.expires_at > now() and "user".is_active
    returning token.session_id),
  next as (insert into hub.refresh_token (hash, session_id) select $3, session_id from used),
  forgotten as (
    delete from hub.refresh_token where session_id = (select session_id from used) and used_at < now() - make_interval(secs => $6))
  update hub.session
  set refreshed_at = now(), expires_at = least(now() + make_interval(secs => case when is_remembered then $4::integer else $5::integer end), ends_at)
  from used where session.id = used.session_id
  returning session.user_id as "userId", session.is_remembered as "isRemembered"`;

const findUsedSql = `
  select session.user_id as "userId", session.is_remembered as "isRemembered",
    token.used_at > now() - make_interval(secs => $4)
      and exists (select from hub.refresh_token next where next.hash = $3 and next.used_at is null) as "isRepeated"
  from hub.refresh_token token
  join hub.session on session.id = token.session_id
  join hub."user" on "user".id = session.user_id
  where token.hash = $2 and token.session_id = $1 and token.used_at is not null
    and session.revoked_at is null and session.expires_at > now() and "user".is_active`;

/** `copied`: whose session was ended because one of its tokens turned up a second time. */
type Rotation = { session: StartedSession } | { session: null; copied: { userId: number; sessionId: string } | null };

/**
 * Exchanges a refresh token for the next of its family; no session when it is over or the token was used before. A used token that
 * comes back after the grace, or after its successor was used, was copied by somebody: it ends the family and its access tokens.
 * What was never a token of the family changes nothing. `key` makes the successors, each from the secret before it.
 */
export async function rotateSession(pool: pg.Pool, key: Buffer, refreshToken: string): Promise<Rotation> {
  const presented = parseToken(refreshToken);
  if (!presented) return over;
  const { sessionId } = presented;
  const secret = createHmac("sha256", key).update(`${sessionId}.${presented.secret}`).digest("base64url");
  const hashes = [sessionId, sha256(presented.secret), sha256(secret)];
  const next = (known: { userId: number; isRemembered: boolean }): Rotation => ({
    session: { userId: known.userId, isRemembered: known.isRemembered, sessionId, refreshToken: `${sessionId}.${secret}` },
  });
  const times = [rememberedSeconds, plainSeconds, rememberUsedSeconds];
  const rotated = await pool.query<{ userId: number; isRemembered: boolean }>(rotateSql, [...hashes, ...times]);
  if (rotated.rows[0]) return next(rotated.rows[0]);
  const used = await pool.query<{ userId: number; isRemembered: boolean; isRepeated: boolean }>(findUsedSql, [...hashes, graceSeconds]);
  const [found] = used.rows;
  if (!found) return over;
  if (found.isRepeated) return next(found);
  // Of several copies at once, one ends the session.
  const ended = await pool.query("update hub.session set revoked_at = now() where id = $1 and revoked_at is null", [sessionId]);
  return ended.rowCount === 1 ? { session: null, copied: { userId: found.userId, sessionId } } : over;
}

const over: Rotation = { session: null, copied: null };

/** Ends the session that a refresh token belongs to, and returns whose it was; a token of no open session changes nothing. */
export async function revokeSession(
  client: pg.ClientBase,
  refreshToken: string,
): Promise<{ userId: number; sessionId: string } | undefined> {
  const presented = parseToken(refreshToken);
  if (!presented) return undefined;
  const { rows } = await client.query<{ userId: number; sessionId: string }>(
    `update hub.session set revoked_at = now() from hub.refresh_token token
     where token.hash = $2 and token.session_id = $1 and session.id = $1 and session.revoked_at is null
     returning session.user_id as "userId", session.id as "sessionId"`,
    [presented.sessionId, sha256(presented.secret)],
  );
  return rows[0];
}

const endSql = `
  update hub.session set revoked_at = now()
  where user_id = $1 and revoked_at is null and ($2::uuid is null or id = $2) and ($3::uuid is null or id <> $3)`;

/** Ends sessions of a person: one, all, or all but one. Returns how many. */
export async function endSessions(
  client: pg.ClientBase,
  userId: number,
  { only = null, except = null }: { only?: string | null; except?: string | null } = {},
): Promise<number> {
  return (await client.query(endSql, [userId, only, except])).rowCount ?? 0;
}

const SessionId = z.uuid();

function parseToken(token: string): { sessionId: string; secret: string } | null {
  const [sessionId, secret] = token.split(".");
  if (secret === undefined || !SessionId.safeParse(sessionId).success || sessionId === undefined) return null;
  return { sessionId, secret };
}
