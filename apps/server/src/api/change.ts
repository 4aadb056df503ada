import type { FastifyRequest } from "fastify";
import type pg from "pg";
import { z } from "zod";
import { writeAuditEvent, type AuditTarget } from "./audit-event.ts";
import { inTenant } from "../db.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The request's audit event is written, or there was nothing to write. `addRoute` checks it for every route that changes something. */
    isAudited: boolean;
  }
  interface FastifyContextConfig {
    /** The contract's name of the route. */
    operation?: string;
    /** Whether a successful call writes an audit event. */
    changes?: boolean;
  }
}

/** Stands for a tenant where something belongs to the installation itself. */
export const installation = 0;

/**
 * What an operation contributes to its audit event. Left untouched, the event names what the path names and has the answer as `after`; secrets are
 * masked in any case.
 */
export type Trail = {
  target?: AuditTarget;
  before?: unknown;
  after?: unknown;
  reason?: string | null;
  /** False: it turned out that nothing changes, so there is nothing to tell. */
  isChange: boolean;
};

/**
 * Changes something in one transaction, which writes exactly one audit event with it: of the route's tenant or, where it has none, of the
 * installation. Replaces `inTenant` wherever a route changes something; `createOnce` does the same for what is created.
 */
export function change<Answer>(
  pool: pg.Pool,
  request: FastifyRequest,
  work: (client: pg.PoolClient, trail: Trail) => Promise<Answer>,
): Promise<Answer> {
  const tenantId = request.tenantScope?.tenantId ?? installation;
  return inTenant(pool, tenantId, (client) => audited(client, request, tenantId, work));
}

/** Runs `work` in the transaction that `client` is in, and writes its event after it. */
export async function audited<Answer>(
  client: pg.PoolClient,
  request: FastifyRequest,
  tenantId: number,
  work: (client: pg.PoolClient, trail: Trail) => Promise<Answer>,
): Promise<Answer> {
  const trail: Trail = { isChange: true };
  const answer = await work(client, trail);
  const isDue = trail.isChange && request.routeOptions.config.changes !== false;
  if (isDue) {
    await writeAuditEvent(client, request, {
      tenantId: tenantId === installation ? null : tenantId,
      outcome: "done",
      code: null,
      target: trail.target ?? targetOf(request, answer),
      reason: trail.reason ?? WithReason.parse(request.body).reason ?? null,
      before: trail.before,
      after: "after" in trail ? trail.after : answer,
    });
  }
  request.isAudited = true;
  return answer;
}

const WithReason = z.object({ reason: z.string().nullish() }).catch({});
const WithId = z.object({ id: z.union([z.number(), z.string()]) });

/** The path's noun with the id: the last one in the path or, for something new, the one that it was given. */
export function targetOf(request: FastifyRequest, answer?: unknown): AuditTarget | null {
  const path = request.routeOptions.url ?? "";
  const noun = /^\/api\/v1\/(?:tenants\/:tenantCode\/|installation\/)?([a-z-]+)/.exec(path)?.[1];
  if (noun === undefined) return null;
  const { tenantCode, ...named } = z.record(z.string(), z.coerce.string()).catch({}).parse(request.params);
  const last = Object.values(named).at(-1) ?? (noun === "tenants" ? tenantCode : undefined);
  const made = WithId.safeParse(answer).data?.id;
  const id = last ?? made;
  return { kind: noun, id: id === undefined ? null : String(id) };
}
