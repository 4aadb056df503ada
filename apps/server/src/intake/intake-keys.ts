import type pg from "pg";
import type { IntakeJob, IntakeState, Reason, Receipt } from "./job.ts";

// The primary key decides who came first; a concurrent transaction with the same key is waited for, and as each goes by the order of the keys,
// never in a circle.
const claimSql = `
  with job as materialized (
    select nextval('queue.message_id') as id, hash, body_hash, may_change, ordinal
    from unnest($2::bytea[], $3::bytea[], $4::boolean[]) with ordinality as input (hash, body_hash, may_change, ordinal)
  ), claimed as (
    insert into hub.intake_key as known (tenant_id, hash, external_message_id, body_hash)
    select $1, hash, id, body_hash from job where hash is not null order by hash
    on conflict (tenant_id, hash) do update set external_message_id = excluded.external_message_id, body_hash = excluded.body_hash
    where known.body_hash <> excluded.body_hash and (select may_change from job where id = excluded.external_message_id)
    returning external_message_id
  )
  select case when job.hash is null or claimed.external_message_id is not null then job.id::text end as id
  from job left join claimed on claimed.external_message_id = job.id
  order by job.ordinal`;

/** An id for each job, null for one that only repeats an earlier arrival. */
export async function claimIds(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<(string | null)[]> {
  const ids = new Map<IntakeJob, string | null>();
  for (const round of roundsOf(jobs)) {
    const { rows } = await client.query<{ id: string | null }>({
      name: "intake-claim",
      text: claimSql,
      values: [
        tenantId,
        round.map(({ dedupeKey }) => dedupeKey?.hash ?? null),
        round.map(({ dedupeKey }) => dedupeKey?.bodyHash ?? null),
        round.map(({ dedupeKey }) => dedupeKey?.mayChange ?? false),
      ],
    });
    for (const [index, job] of round.entries()) ids.set(job, rows[index]?.id ?? null);
  }
  return jobs.map((job) => ids.get(job) ?? null);
}

/** One statement claims a key once: what differs from its predecessor of the same batch follows in the next. Repetitions within the batch are left out. */
function roundsOf(jobs: readonly IntakeJob[]): IntakeJob[][] {
  const rounds: IntakeJob[][] = [];
  const last = new Map<string, { round: number; bodyHash: Buffer }>();
  for (const job of jobs) {
    const key = job.dedupeKey;
    const before = key && last.get(key.hash.toString("latin1"));
    if (before && (!key.mayChange || before.bodyHash.equals(key.bodyHash))) continue;
    const round = before ? before.round + 1 : 0;
    if (key) last.set(key.hash.toString("latin1"), { round, bodyHash: key.bodyHash });
    (rounds[round] ??= []).push(job);
  }
  return rounds;
}

const earlierSql = `
  select claimed.hash, claimed.body_hash as "bodyHash", claimed.external_message_id::text as id, message.state, message.reasons
  from hub.intake_key claimed
  left join lateral (
    select state, reasons from hub.external_message message where message.tenant_id = $1 and message.id = claimed.external_message_id offset 0
  ) message on true
  where claimed.tenant_id = $1 and claimed.hash = any ($2)`;

/** What became of the first arrivals of messages that were sent again. Asked after the batch is written, as the first one may be in it. */
export async function findEarlier(client: pg.ClientBase, tenantId: number, jobs: IntakeJob[]): Promise<(job: IntakeJob) => Receipt> {
  type Row = { hash: Buffer; bodyHash: Buffer; id: string; state: IntakeState | null; reasons: string | null };
  const rows = new Map<string, Row>();
  if (jobs.length > 0) {
    const found = await client.query<Row>({
      name: "intake-earlier",
      text: earlierSql,
      values: [tenantId, jobs.map((job) => job.dedupeKey?.hash)],
    });
    for (const row of found.rows) rows.set(row.hash.toString("hex"), row);
  }
  return (job) => {
    const row = rows.get(job.dedupeKey?.hash.toString("hex") ?? "");
    if (!row) throw new Error("a claimed intake key is gone");
    const isKeyReused = job.dedupeKey !== null && !job.dedupeKey.mayChange && !row.bodyHash.equals(job.dedupeKey.bodyHash);
    const reasons: Reason[] = row.reasons === null ? [] : JSON.parse(row.reasons);
    // Of a message whose day has been dropped: all but polled ones claim a key only when they are accepted.
    return {
      externalMessageId: row.id,
      state: row.state ?? "accepted",
      reasons,
      documents: [],
      messageIds: [],
      isDuplicate: true,
      isKeyReused,
    };
  };
}
