import type { FastifyRequest } from "fastify";
import type pg from "pg";
import { WithTenant } from "../access/access.ts";
import { writeAuditEvent, type AuditTarget } from "./audit-event.ts";
import { installation, targetOf } from "./change.ts";
import { inTenant } from "../db.ts";
import { ApiError } from "../errors/errors.ts";
import { networkOf } from "../http/network.ts";

/** How many refusals are kept a minute of those that cost a stranger nothing, per network and altogether. */
const perMinute = { network: 10, all: 300 };

/** Refusals that a stranger can cause in any number. */
const cheapCodes = new Set(["token-invalid", "credentials-invalid", "provider-refused"]);
/** Refusals that are kept whoever asks. */
const denialCodes = new Set(["permission-missing", "password-wrong"]);

/**
 * Keeps an audit event of every refusal: of a role that does not suffice, of a tenant that was not granted, and of tokens and passwords that
 * are wrong; a session that is over is none. It is written before the refusal is answered; when it cannot be, the refusal stands and the log says so.
 *
 * All sign-ins with a wrong password are kept, for known and unknown addresses alike, so that neither the work nor the time tells them apart:
 * the limit on guesses bounds their number.
 */
export function createDenials(pool: pg.Pool): (error: unknown, request: FastifyRequest) => Promise<void> {
  const budget = createBudget();
  return async (error, request) => {
    if (!(error instanceof ApiError)) return;
    const { code, extras } = error;
    const isCheap = cheapCodes.has(code);
    const { attempt } = extras;
    if (!(extras.isDenial ?? (denialCodes.has(code) || isCheap))) return;
    const isBounded = (isCheap && !attempt) || request.routeOptions.config.permission === "gateway";
    const unrecorded = isBounded ? budget(networkOf(request.ip)) : 0;
    if (unrecorded === null) return;
    const { principal, tenantScope } = request;
    const tenantId = tenantScope?.tenantId ?? (principal?.kind === "api-key" ? principal.tenantId : null);
    try {
      await inTenant(pool, tenantId ?? installation, (client) =>
        writeAuditEvent(client, request, {
          tenantId,
          outcome: "denied",
          code,
          target: attempt ? accountOf(attempt) : extras.isDenial === true ? namedTenant(request) : targetOf(request),
          reason: extras.detail ?? null,
          before: null,
          after: attempt?.after ?? (unrecorded > 0 ? { unrecordedBefore: unrecorded } : null),
        }),
      );
    } catch (failure) {
      request.log.error({ err: failure, requestId: request.id, code }, "a refusal could not be written to the audit log");
    }
  };
}

const accountOf = ({ userId }: { userId: number | null }): AuditTarget | null =>
  userId === null ? null : { kind: "users", id: String(userId) };

function namedTenant({ params, query }: FastifyRequest): AuditTarget {
  return { kind: "tenants", id: WithTenant.parse(params).tenantCode ?? WithTenant.parse(query).tenant ?? null };
}

/** Returns null if this one is not to be kept, otherwise how many were not kept since the last that was. */
function createBudget(): (network: string) => number | null {
  let minute = 0;
  let total = 0;
  let unrecorded = 0;
  const counts = new Map<string, number>();
  return (network) => {
    const now = Math.floor(performance.now() / 60_000);
    if (now !== minute) {
      minute = now;
      total = 0;
      counts.clear();
    }
    const count = counts.get(network) ?? 0;
    if (count >= perMinute.network || total >= perMinute.all) {
      unrecorded += 1;
      return null;
    }
    counts.set(network, count + 1);
    total += 1;
    const before = unrecorded;
    unrecorded = 0;
    return before;
  };
}
