import type { FastifyRequest } from "fastify";
import type pg from "pg";
import { actorOrNullSql } from "../access/actor.ts";
import { mask } from "../masking/headers.ts";

/** What is said of every event: which operation, by whom, from where. */
type Origin = {
  action: string;
  userId: number | null;
  apiKeyId: number | null;
  address: string;
  userAgent: string | null;
  requestId: string;
};

type Event = {
  /** Null: of the installation. */
  tenantId: number | null;
  outcome: "done" | "denied";
  /** Of the error, where it was refused. */
  code: string | null;
  target: AuditTarget | null;
  reason: string | null;
  before: unknown;
  after: unknown;
  /** Who acts, where the request came from nobody yet: somebody who signs in or out. */
  userId?: number;
};

/** What an event is about, e.g. the mappings' 12. */
export type AuditTarget = { kind: string; id: string | null };

const insertSql = `
  insert into hub.audit_event (tenant_id, outcome, action, code, target_kind, target_id, user_id, api_key_id, actor_name, address, user_agent,
    request_id, reason, before, after)
  values ($1, $2, $3, $4, $5, $6, $7, $8, ${actorOrNullSql("$1", "$7", "$8")}, $9, $10, $11, $12, $13, $14)`;

/** Writes in the transaction that `client` is in, which is one of the event's tenant or of the installation. */
export async function writeAuditEvent(client: pg.ClientBase, request: FastifyRequest, event: Event): Promise<void> {
  const { action, userId, apiKeyId, address, userAgent, requestId } = originOf(request);
  const { tenantId, outcome, code, target, reason, before, after } = event;
  await client.query(insertSql, [
    tenantId,
    outcome,
    action,
    code,
    target?.kind ?? null,
    clean(target?.id ?? null, 500),
    userId ?? event.userId ?? null,
    apiKeyId,
    address,
    userAgent,
    requestId,
    clean(reason, 2000),
    toJson(before),
    toJson(after),
  ]);
}

function originOf(request: FastifyRequest): Origin {
  const { principal, routeOptions } = request;
  return {
    action: routeOptions.config.operation ?? `${request.method} ${routeOptions.url ?? ""}`,
    userId: principal?.kind === "user" ? principal.userId : null,
    apiKeyId: principal?.kind === "api-key" ? principal.apiKeyId : null,
    address: request.ip,
    userAgent: clean(request.headers["user-agent"] ?? null, 300),
    requestId: request.id,
  };
}

/** PostgreSQL holds no NUL in text. */
function clean(text: string | null, lengthMax: number): string | null {
  return text === null ? null : text.replaceAll("\0", "").slice(0, lengthMax);
}

const jsonLengthMax = 16_000;

function toJson(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  const json = JSON.stringify(withoutSecrets(value));
  return json.length > jsonLengthMax ? JSON.stringify({ tooLong: json.length }) : json;
}

const secretName = /password|passphrase|secret|token|authorization|cookie|credentials?$|api_?key$|private_?key|pin$|hook_?id$/i;
/** Keys of ours and signed tokens, wherever they stand. */
const secretText = /\bcdk_[\w-]{8,}|\beyJ[\w-]{8,}\.[\w-]+(\.[\w-]+)?/g;
/** The user part of an address. */
const userOfUrl = /(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi;

const listLengthMax = 100;
const textLengthMax = 2000;
const depthMax = 8;

/** A copy in which whatever is or may be a secret is masked, and what is endless is cut. */
export function withoutSecrets(value: unknown, depth = 0): unknown {
  if (typeof value === "string") {
    // Masked first: a secret that is cut in two isn't known for one. A character may be cut in two, too, and PostgreSQL keeps no half of one.
    return value
      .slice(0, 2 * textLengthMax)
      .replaceAll("\0", "\ufffd")
      .replace(secretText, mask)
      .replace(userOfUrl, `$1${mask}@`)
      .slice(0, textLengthMax)
      .toWellFormed();
  }
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Date) return value.toISOString();
  if (depth >= depthMax) return mask;
  if (Array.isArray(value)) {
    const items = value.slice(0, listLengthMax).map((item) => withoutSecrets(item, depth + 1));
    return value.length > listLengthMax ? [...items, `… ${value.length - listLengthMax} more`] : items;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name.toWellFormed().replaceAll("\0", "\ufffd"),
      secretName.test(name) && part !== null && part !== "" ? mask : withoutSecrets(part, depth + 1),
    ]),
  );
}
