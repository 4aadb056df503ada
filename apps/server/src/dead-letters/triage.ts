import type pg from "pg";
import type { Routes, Triage, TriageStatus } from "@crossdock/contract";
import type { z } from "zod";
import { personNameSql } from "../access/actor.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { requireOperator } from "../access/tenant-people.ts";

// What was resolved and has failed again, or was to be ignored until now, is new. $2: the newest failures, beside the fingerprints in $3.
const readSql = `
  select t.fingerprint,
    case when t.status = 'resolved' and g.last_at > t.resolved_up_to then 'new'
      when t.status = 'ignored' and t.ignored_until <= now() then 'new' else t.status end as status,
    queue.iso(t.ignored_until) as "ignoredUntil", t.owner_id as "ownerId", ${personNameSql("person")} as "ownerName",
    t.comment, t.version, t.changed_by as "changedBy", queue.iso(t.changed_at) as "changedAt"
  from unnest($2::timestamptz[], $3::text[]) as g (last_at, fingerprint)
  join hub.dead_letter_triage t on t.tenant_id = $1 and t.fingerprint = g.fingerprint
  left join hub."user" person on person.id = t.owner_id`;

type Row = {
  fingerprint: string;
  status: TriageStatus;
  ignoredUntil: string | null;
  ownerId: number | null;
  ownerName: string | null;
  comment: string;
  version: number;
  changedBy: string;
  changedAt: string;
};

/** The triage of an error that nobody has looked at. */
export const untouched: Triage = {
  status: "new",
  ignoredUntil: null,
  owner: null,
  comment: "",
  version: 0,
  changedBy: null,
  changedAt: null,
};

type Failures = { fingerprint: string; lastAt: string | null };

/** What is known of errors, by their fingerprints; `lastAt` is the newest failure of each. */
export async function readTriage(
  client: Pick<pg.ClientBase, "query">,
  tenantId: number,
  failures: readonly Failures[],
): Promise<Map<string, Triage>> {
  const values = [tenantId, failures.map(({ lastAt }) => lastAt), failures.map(({ fingerprint }) => fingerprint)];
  const { rows } = await client.query<Row>(readSql, values);
  return new Map(rows.map((row) => [row.fingerprint, toTriage(row)]));
}

function toTriage({ ownerId, ownerName, ignoredUntil, status, comment, version, changedBy, changedAt }: Row): Triage {
  return {
    status,
    comment,
    version,
    changedBy,
    changedAt,
    ignoredUntil: status === "ignored" ? ignoredUntil : null,
    owner: ownerId === null ? null : { id: ownerId, name: ownerName ?? "" },
  };
}

type Change = z.output<NonNullable<Routes["triageDeadLetterGroup"]["body"]>>;

const lastFailureSql = `select queue.iso(max(dead_at)) as "lastAt" from queue.dead where tenant_id = $1 and fingerprint = $2`;

export async function readLastFailure(client: pg.ClientBase, tenantId: number, fingerprint: string): Promise<string | null> {
  return (await client.query<{ lastAt: string | null }>(lastFailureSql, [tenantId, fingerprint])).rows[0]?.lastAt ?? null;
}

// The insert waits for another one of the same fingerprint; whichever comes second finds a version that is not its own.
const writeSql = `
  insert into hub.dead_letter_triage as t (tenant_id, fingerprint, status, ignored_until, resolved_up_to, owner_id, comment, changed_by)
  values ($1, $2, $3, $4, case when $3 = 'resolved' then coalesce($5::timestamptz, clock_timestamp()) end, $6, $7, $8)
  on conflict (tenant_id, fingerprint) do update set
    status = excluded.status, ignored_until = excluded.ignored_until, resolved_up_to = excluded.resolved_up_to, owner_id = excluded.owner_id,
    comment = excluded.comment, changed_by = excluded.changed_by, changed_at = clock_timestamp(), version = t.version + 1
  where t.version = $9
  returning version`;

/** Throws not-found for an unknown error or an owner who may not work in the tenant, changed-meanwhile when somebody else was faster. */
export async function writeTriage(client: pg.ClientBase, tenantId: number, change: Change, by: string): Promise<Triage> {
  const { fingerprint, version, status, ignoredUntil, seenUpTo = null, ownerId, comment } = change;
  const lastAt = await readLastFailure(client, tenantId, fingerprint);
  const known = (await readTriage(client, tenantId, [{ fingerprint, lastAt }])).get(fingerprint);
  if (lastAt === null && !known) throw notFound();
  // Who was given it before may have left since.
  if (ownerId !== null && ownerId !== known?.owner?.id) await requireOperator(client, tenantId, ownerId);
  const values = [tenantId, fingerprint, status, ignoredUntil, seenUpTo, ownerId, comment, by, version];
  // Version 0 means a row of one's own; an older one that is found instead belongs to somebody else.
  const isWritten = (version === 0) === !known && (await client.query(writeSql, values)).rowCount === 1;
  const current = (await readTriage(client, tenantId, [{ fingerprint, lastAt }])).get(fingerprint) ?? untouched;
  if (isWritten) return current;
  throw new ApiError("changed-meanwhile", { ...because("error-changed", { name: current.changedBy ?? "Somebody" }), current });
}
