import type { FastifyReply, FastifyRequest } from "fastify";
import type pg from "pg";
import { callerOf } from "../access/access.ts";
import { audited, type Trail } from "./change.ts";
import { inTenant } from "../db.ts";
import { ApiError } from "../errors/errors.ts";
import type { Why } from "../errors/faults.ts";
import type { RouteContext } from "./route.ts";
import { sha256 } from "../keys/sha256.ts";

/** Longer idempotency keys are refused: they are names, not contents. */
export const keyLengthMax = 255;

/** The request's Idempotency-Key, null without one. Throws bad-request for one that is empty or too long. */
export function readIdempotencyKey(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || key === "" || key.length > keyLengthMax) {
    throw new ApiError("bad-request", { detail: `Idempotency-Key must have 1 to ${keyLengthMax} characters.` });
  }
  return key;
}

type Context = Pick<RouteContext<unknown, unknown, unknown>, "principal" | "body" | "request" | "reply">;

type Options<Answer> = {
  /** What is kept in place of an answer with a secret that is shown once: a repeated request gets that. Null for one without. */
  keepOnly?: (answer: Answer) => Why | null;
  /** Where the answer is kept, if not with the tenant: `installation` for a tenant that is just being created. */
  scope?: number;
};

type Kept = { requestHash: Buffer; answer: string | null; explanation: string | null; etag: string | null };

// The day is the promise; pruning may come later.
const findSql = `
  select request_hash as "requestHash", answer, explanation, etag from hub.idempotent_answer
  where tenant_id = $1 and hash = $2 and created_at > now() - interval '24 hours'`;

const keepSql = `
  insert into hub.idempotent_answer (tenant_id, hash, request_hash, answer, explanation, etag) values ($1, $2, $3, $4, $5, $6)
  on conflict (tenant_id, hash) do update
  set request_hash = excluded.request_hash, answer = excluded.answer, explanation = excluded.explanation, etag = excluded.etag, created_at = now()`;

/**
 * Creates an object in one transaction of the tenant, with its audit event. With an Idempotency-Key the answer is kept in that same transaction, for a day, by
 * caller and address: the same request, sent again, gets it without `create` being called. A failed request keeps nothing, so it can be corrected and
 * sent again. Throws idempotency-key-reused for a different body, request-under-way while the first one runs, answer-not-kept for secrets.
 */
export async function createOnce<Answer extends object>(
  pool: pg.Pool,
  tenantId: number,
  { principal, body, request, reply }: Context,
  create: (client: pg.PoolClient, trail: Trail) => Promise<Answer>,
  { keepOnly, scope = tenantId }: Options<Answer> = {},
): Promise<Answer> {
  const key = readIdempotencyKey(request);
  if (key === null) return inTenant(pool, tenantId, (client) => audited(client, request, tenantId, create));
  const hash = hashOf(callerOf(principal), request.method, request.url.replace(/\?.*$/, ""), key);
  const requestHash = hashOf(JSON.stringify(body));
  return inTenant(pool, tenantId, async (client) => {
    await lockOrRefuse(client, hash);
    const [kept] = (await client.query<Kept>(findSql, [scope, hash])).rows;
    if (kept) {
      request.isAudited = true;
      return JSON.parse(replay(kept, requestHash, reply));
    }
    const answer = await audited(client, request, tenantId, create);
    const etag = reply.getHeader("etag") ?? null;
    const explanation = keepOnly?.(answer) ?? null;
    const stored = explanation === null ? JSON.stringify(answer) : null;
    await client.query(keepSql, [scope, hash, requestHash, stored, explanation && JSON.stringify(explanation), etag]);
    return answer;
  });
}

/** Held until the transaction ends, in whichever process, so that of two requests at once one is refused instead of both being carried out. */
async function lockOrRefuse(client: pg.PoolClient, hash: Buffer): Promise<void> {
  const { rows } = await client.query<{ isFree: boolean }>(`select pg_try_advisory_xact_lock($1) as "isFree"`, [hash.readBigInt64BE()]);
  if (!rows[0]?.isFree) throw new ApiError("request-under-way", { retryAfterSeconds: 1 });
}

/** The kept answer or explanation: written by this very route, whose schema strips an answer down to what was promised before it is sent. */
function replay({ requestHash, answer, explanation, etag }: Kept, presented: Buffer, reply: FastifyReply): string {
  if (!requestHash.equals(presented)) throw new ApiError("idempotency-key-reused");
  if (answer === null) throw new ApiError("answer-not-kept", JSON.parse(explanation ?? "{}"));
  if (etag !== null) void reply.header("etag", etag);
  void reply.header("idempotent-replayed", "true");
  return answer;
}

/** Hashes the parts with their borders: no two lists of parts give the same bytes. */
function hashOf(...parts: string[]): Buffer {
  return sha256(JSON.stringify(parts));
}
