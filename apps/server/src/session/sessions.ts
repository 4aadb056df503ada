import { randomBytes } from "node:crypto";
import type pg from "pg";
import { z } from "zod";
import { sha256 } from "../sha256.ts";

/** Seconds until an unused session ends: with "remember me", and without. Every refresh starts the time anew. */
export const rememberedSeconds = 30 * 24 * 3600;
const plainSeconds = 12 * 3600;

export type StartedSession = { sessionId: string; userId: number; isRemembered: boolean; refreshToken: string };

const newSecret = (): string => randomBytes(32).toString("base64url");

/** Starts a family of refresh tokens and returns its first. Rows of the person's ended sessions go: their tokens are refused without them too. */
export async function createSession(
  pool: pg.Pool,
  user: { userId: number; isRemembered: boolean; userAgent: string | null },
): Promise<StartedSession> {
  const secret = newSecret();
  const { rows } = await pool.query<{ id: string }>(
    `with over as (delete from hub.session where user_id = $1 and (expires_at < now() or revoked_at is not null))
     insert into hub.session (user_id, refresh_hash, is_remembered, user_agent, expires_at)
     values ($1, $2, $3, $4, now() + make_interval(secs => $5)) returning id`,
    [user.userId, sha256(secret), user.isRemembered, user.userAgent?.slice(0, 300) ?? null, lifetime(user.isRemembered)],
  );
  const [row] = rows;
  if (!row) throw new Error("the session was not created");
  return { sessionId: row.id, userId: user.userId, isRemembered: user.isRemembered, refreshToken: `${row.id}.${secret}` };
}

const rotateSql = `
  update hub.session
  set refresh_hash = $3, refreshed_at = now(), expires_at = now() + make_interval(secs => case when is_remembered then $4::integer else $5::integer end)
  from hub."user"
  where session.id = $1 and session.refresh_hash = $2 and session.revoked_at is null and session.expires_at > now()
    and "user".id = session.user_id and "user".is_active
  returning session.user_id as "userId", session.is_remembered as "isRemembered"`;

/**
 * Exchanges a refresh token for the next of its family; null when it is not the newest one, or the session is over.
 * A token that is not the newest was copied by somebody, so presenting it ends the whole family.
 */
export async function rotateSession(pool: pg.Pool, refreshToken: string): Promise<StartedSession | null> {
  const presented = parseToken(refreshToken);
  if (!presented) return null;
  const secret = newSecret();
  const values = [presented.sessionId, sha256(presented.secret), sha256(secret), rememberedSeconds, plainSeconds];
  const { rows } = await pool.query<{ userId: number; isRemembered: boolean }>(rotateSql, values);
  const [row] = rows;
  if (row) return { ...row, sessionId: presented.sessionId, refreshToken: `${presented.sessionId}.${secret}` };
  await endSession(pool, presented.sessionId);
  return null;
}

/** Ends the session of a refresh token that is still the newest of its family; any other token changes nothing. */
export async function revokeSession(pool: pg.Pool, refreshToken: string): Promise<void> {
  const presented = parseToken(refreshToken);
  if (!presented) return;
  await pool.query("update hub.session set revoked_at = now() where id = $1 and refresh_hash = $2 and revoked_at is null", [
    presented.sessionId,
    sha256(presented.secret),
  ]);
}

async function endSession(pool: pg.Pool, sessionId: string): Promise<void> {
  await pool.query("update hub.session set revoked_at = now() where id = $1 and revoked_at is null", [sessionId]);
}

const lifetime = (isRemembered: boolean): number => (isRemembered ? rememberedSeconds : plainSeconds);

const SessionId = z.uuid();

function parseToken(token: string): { sessionId: string; secret: string } | null {
  const [sessionId, secret] = token.split(".");
  if (secret === undefined || !SessionId.safeParse(sessionId).success || sessionId === undefined) return null;
  return { sessionId, secret };
}
