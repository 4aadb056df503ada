import type pg from "pg";
import type { EntityType } from "@crossdock/contract";
import { publish, type NewMessage } from "@crossdock/queue";
import { applyDocument, unknownEntity, type CanonicalRecord, type EntityState } from "./entity-changes.ts";
import type { Point, Route } from "./directory.ts";

export type Reason = { path: string; message: string };
export type Signature = "valid" | "invalid" | "missing" | "none-configured" | "not-applicable";

/** A document and the queues of the integration points that want it. */
export type RoutedRecord = CanonicalRecord & { routes: readonly Route[] };

export type Translation =
  | { kind: "documents"; records: RoutedRecord[] }
  | { kind: "ignored"; reasons: Reason[] }
  | { kind: "rejected"; reasons: Reason[] };

/** One raw message, translated, ready to be written. */
export type IntakeJob = {
  point: Point;
  channel: "hook" | "gateway";
  entityType: EntityType | null;
  signature: Signature;
  contentType: string | null;
  /** JSON text. */
  headers: string;
  body: Buffer;
  /** Under which the sender may repeat it; null: each arrival is a message of its own. */
  dedupeKey: { hash: Buffer; bodyHash: Buffer } | null;
  translation: Translation;
};

export type IntakeState = "accepted" | "unchanged" | "rejected" | "ignored";

export type Receipt = {
  externalMessageId: string;
  state: IntakeState;
  reasons: Reason[];
  messageIds: string[];
  /** The sender's key was seen before: nothing was written, and the answer is about the first arrival. */
  isDuplicate: boolean;
  /** The key came with another body the first time. */
  isKeyReused: boolean;
};

type Draft = {
  job: IntakeJob;
  id: string;
  state: IntakeState;
  reasons: Reason[];
  messages: NewMessage[];
  /** Those of the messages' queues that outside workers wait for. */
  pulledQueueIds: number[];
};

/** Writes a batch of one tenant: raw messages, business objects, messages to their queues. Receipts in the order of the jobs. */
export async function storeBatch(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<Receipt[]> {
  const claims = await claimIds(client, tenantId, jobs);
  const drafts = new Map<IntakeJob, Draft>();
  for (const [index, job] of jobs.entries()) {
    const claim = claims[index];
    if (claim?.isFresh) drafts.set(job, { job, id: claim.id, state: "accepted", reasons: [], messages: [], pulledQueueIds: [] });
  }
  await changeEntities(client, tenantId, [...drafts.values()]);
  await insertExternalMessages(client, tenantId, [...drafts.values()]);
  const messageIds = await publishAll(client, [...drafts.values()]);
  const earlier = await findEarlier(
    client,
    tenantId,
    jobs.filter((job) => !drafts.has(job)),
  );
  return jobs.map((job) => {
    const draft = drafts.get(job);
    if (!draft) return earlier(job);
    return {
      externalMessageId: draft.id,
      state: draft.state,
      reasons: draft.reasons,
      messageIds: messageIds.get(draft) ?? [],
      isDuplicate: false,
      isKeyReused: false,
    };
  });
}

// The primary key decides who came first; a concurrent transaction with the same key is waited for.
const claimSql = `
  with job as materialized (
    select nextval('queue.message_id') as id, hash, body_hash, ordinal
    from unnest($2::bytea[], $3::bytea[]) with ordinality as input (hash, body_hash, ordinal)
  ), claimed as (
    insert into hub.intake_key (tenant_id, hash, external_message_id, body_hash)
    select $1, hash, id, body_hash from job where hash is not null
    on conflict do nothing
    returning external_message_id
  )
  select job.id::text, job.hash is null or claimed.external_message_id is not null as "isFresh"
  from job left join claimed on claimed.external_message_id = job.id
  order by job.ordinal`;

async function claimIds(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<{ id: string; isFresh: boolean }[]> {
  const hashes = jobs.map((job) => job.dedupeKey?.hash ?? null);
  const bodyHashes = jobs.map((job) => job.dedupeKey?.bodyHash ?? null);
  const { rows } = await client.query<{ id: string; isFresh: boolean }>({
    name: "intake-claim",
    text: claimSql,
    values: [tenantId, hashes, bodyHashes],
  });
  return rows;
}

/** Applies the documents in the order of arrival, decides each draft's state and gathers its messages. */
async function changeEntities(client: pg.ClientBase, tenantId: number, drafts: Draft[]): Promise<void> {
  const entities = new Map<string, Entity>();
  for (const { job } of drafts) {
    if (job.translation.kind !== "documents") continue;
    for (const record of job.translation.records) {
      const id = entityId(job.point, record);
      if (!entities.has(id)) entities.set(id, { point: job.point, record, before: unknownEntity, after: unknownEntity, versions: [] });
    }
  }
  await lockEntities(client, tenantId, entities);
  for (const draft of drafts) decide(draft, entities);
  await writeEntities(
    client,
    tenantId,
    [...entities.values()].filter((entity) => entity.after !== entity.before),
  );
}

type Entity = {
  /** Of the document that asked first, later of the one that changed it last. */
  point: Point;
  record: CanonicalRecord;
  before: EntityState;
  after: EntityState;
  versions: { version: number; text: string; draft: Draft }[];
};

function entityId(point: Point, record: Pick<CanonicalRecord, "entityType" | "key">): string {
  return `${point.subtenantId} ${point.isDevelopment} ${record.entityType} ${record.key}`;
}

function decide(draft: Draft, entities: Map<string, Entity>): void {
  const { point, translation } = draft.job;
  if (translation.kind !== "documents") {
    draft.state = translation.kind;
    draft.reasons = translation.reasons;
    return;
  }
  let isChanged = false;
  for (const record of translation.records) {
    const entity = entities.get(entityId(point, record));
    if (!entity) continue;
    const { verdict, state } = applyDocument(entity.after, record);
    entity.after = state;
    if (verdict === "outdated") draft.reasons.push({ path: record.key, message: `A newer ${record.entityType} is known already.` });
    if (verdict !== "changed") continue;
    isChanged = true;
    entity.point = point;
    entity.versions.push({ version: state.version, text: record.text, draft });
    for (const { queueId, isPulled } of record.routes) {
      draft.messages.push(toMessage(draft, record, queueId, state.version));
      if (isPulled) draft.pulledQueueIds.push(queueId);
    }
  }
  draft.state = isChanged ? "accepted" : "unchanged";
}

function toMessage({ job, id }: Draft, record: CanonicalRecord, queueId: number, entityVersion: number): NewMessage {
  return {
    tenantId: job.point.tenantId,
    queueId,
    subtenantId: job.point.subtenantId,
    key: record.key,
    entityType: record.entityType,
    source: job.point.connector,
    // The delivery reads which system's words the document uses.
    headers: { source: job.point.connector },
    document: record.text,
    version: record.sourceVersion?.toString() ?? null,
    originId: id,
    entityVersion,
  };
}

// Sorted, so that two processes that change the same objects wait for each other in the same order instead of dead-locking.
// Lateral, because a join of the two lists would be planned for the empty table and read all of a tenant's objects.
const lockSql = `
  select wanted.*, entity.version, entity.hash, entity.source_version::text as "sourceVersion"
  from (
    select * from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[]) as input ("subtenantId", "entityType", key, "isDevelopment")
    order by 1, 2, 3, 4
  ) wanted
  cross join lateral (
    select entity.version, entity.hash, entity.source_version from hub.entity
    where entity.tenant_id = $1 and entity.subtenant_id = wanted."subtenantId" and entity.entity_type = wanted."entityType"
      and entity.business_key = wanted.key and entity.is_development = wanted."isDevelopment"
    for no key update
  ) entity`;

type LockedRow = {
  subtenantId: number;
  entityType: EntityType;
  key: string;
  isDevelopment: boolean;
  version: number;
  hash: Buffer;
  sourceVersion: string | null;
};

async function lockEntities(client: pg.ClientBase, tenantId: number, entities: Map<string, Entity>): Promise<void> {
  if (entities.size === 0) return;
  const wanted = [...entities.values()];
  const { rows } = await client.query<LockedRow>({
    name: "intake-lock",
    text: lockSql,
    values: [
      tenantId,
      wanted.map(({ point }) => point.subtenantId),
      wanted.map(({ record }) => record.entityType),
      wanted.map(({ record }) => record.key),
      wanted.map(({ point }) => point.isDevelopment),
    ],
  });
  for (const row of rows) {
    const entity = entities.get(`${row.subtenantId} ${row.isDevelopment} ${row.entityType} ${row.key}`);
    if (!entity) continue;
    const sourceVersion = row.sourceVersion === null ? null : BigInt(row.sourceVersion);
    entity.before = entity.after = { version: row.version, hash: row.hash, sourceVersion };
  }
}

// An object that another process created since the look-up makes the insert of its version 1 fail, and the batch runs again.
const writeEntitiesSql = `
  with head as (
    insert into hub.entity as entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, source_version, integration_point_id)
    select $1, * from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[], $6::integer[], $7::bytea[], $8::bigint[], $9::integer[])
    order by 2, 3, 4, 5
    on conflict (tenant_id, subtenant_id, entity_type, business_key, is_development) do update
    set version = excluded.version, hash = excluded.hash, source_version = excluded.source_version, integration_point_id = excluded.integration_point_id,
      changed_at = case when entity.version = excluded.version then entity.changed_at else excluded.changed_at end
  )
  insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
  select $1, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id,
    convert_from(substring($10::bytea from position for length), 'UTF8')
  from unnest($11::integer[], $12::text[], $13::text[], $14::boolean[], $15::integer[], $16::bigint[], $17::integer[], $18::integer[], $19::integer[])
    as input (subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, position, length)`;

async function writeEntities(client: pg.ClientBase, tenantId: number, entities: Entity[]): Promise<void> {
  if (entities.length === 0) return;
  const versions = entities.flatMap(({ point, record, versions: own }) =>
    own.map(({ version, text, draft }) => ({ point: draft.job.point, subtenantId: point.subtenantId, record, version, text, draft })),
  );
  const documents = pack(versions.map(({ text }) => Buffer.from(text)));
  await client.query({
    name: "intake-write-entities",
    text: writeEntitiesSql,
    values: [
      tenantId,
      entities.map(({ point }) => point.subtenantId),
      entities.map(({ record }) => record.entityType),
      entities.map(({ record }) => record.key),
      entities.map(({ point }) => point.isDevelopment),
      entities.map(({ after }) => after.version),
      entities.map(({ after }) => after.hash),
      entities.map(({ after }) => after.sourceVersion?.toString() ?? null),
      entities.map(({ point }) => point.id),
      documents.bytes,
      versions.map(({ subtenantId }) => subtenantId),
      versions.map(({ record }) => record.entityType),
      versions.map(({ record }) => record.key),
      versions.map(({ point }) => point.isDevelopment),
      versions.map(({ version }) => version),
      versions.map(({ draft }) => draft.id),
      versions.map(({ point }) => point.id),
      documents.positions,
      documents.lengths,
    ],
  });
}

const insertExternalMessagesSql = `
  insert into hub.external_message (tenant_id, id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature,
    content_type, headers, reasons, body)
  select $1, id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature, content_type, headers, reasons,
    substring($2::bytea from position for length)
  from unnest($3::bigint[], $4::integer[], $5::integer[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[],
      $13::text[], $14::integer[], $15::integer[])
    as input (id, subtenant_id, integration_point_id, channel, entity_type, business_key, state, signature, content_type, headers, reasons, position, length)`;

async function insertExternalMessages(client: pg.ClientBase, tenantId: number, drafts: Draft[]): Promise<void> {
  if (drafts.length === 0) return;
  const bodies = pack(drafts.map(({ job }) => job.body));
  const firsts = drafts.map(({ job }) => (job.translation.kind === "documents" ? job.translation.records[0] : undefined));
  await client.query({
    name: "intake-external-messages",
    text: insertExternalMessagesSql,
    values: [
      tenantId,
      bodies.bytes,
      drafts.map(({ id }) => id),
      drafts.map(({ job }) => job.point.subtenantId),
      drafts.map(({ job }) => job.point.id),
      drafts.map(({ job }) => job.channel),
      drafts.map(({ job }, index) => firsts[index]?.entityType ?? job.entityType),
      firsts.map((record) => record?.key ?? null),
      drafts.map(({ state }) => state),
      drafts.map(({ job }) => job.signature),
      drafts.map(({ job }) => job.contentType),
      drafts.map(({ job }) => job.headers),
      drafts.map(({ reasons }) => (reasons.length > 0 ? JSON.stringify(reasons) : null)),
      bodies.positions,
      bodies.lengths,
    ],
  });
}

/** Told of queues whose next message an outside worker may be waiting for. The engine's own channel is for its workers. */
export const pulledChannel = "queue_pulled";

/** A payload has fewer than 8,000 bytes; an empty one stands for any queue. */
function pulledPayload(queueIds: ReadonlySet<number>): string {
  const payload = [...queueIds].join(",");
  return payload.length < 8_000 ? payload : "";
}

async function publishAll(client: pg.ClientBase, drafts: Draft[]): Promise<Map<Draft, string[]>> {
  const published = new Map<Draft, string[]>();
  const messages = drafts.flatMap((draft) => draft.messages);
  if (messages.length === 0) return published;
  const ids = await publish(client, messages);
  const pulled = new Set(drafts.flatMap((draft) => draft.pulledQueueIds));
  if (pulled.size > 0) await client.query("select pg_notify($1, $2)", [pulledChannel, pulledPayload(pulled)]);
  let position = 0;
  for (const draft of drafts) {
    published.set(draft, ids.slice(position, position + draft.messages.length));
    position += draft.messages.length;
  }
  return published;
}

const earlierSql = `
  select claimed.hash, claimed.body_hash as "bodyHash", claimed.external_message_id::text as id, message.state, message.reasons
  from hub.intake_key claimed
  left join lateral (
    select state, reasons from hub.external_message message where message.tenant_id = $1 and message.id = claimed.external_message_id offset 0
  ) message on true
  where claimed.tenant_id = $1 and claimed.hash = any ($2)`;

/** What became of the first arrivals of messages that were sent again. Asked after the batch is written, as the first one may be in it. */
async function findEarlier(client: pg.ClientBase, tenantId: number, jobs: IntakeJob[]): Promise<(job: IntakeJob) => Receipt> {
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
    const isKeyReused = job.dedupeKey !== null && !row.bodyHash.equals(job.dedupeKey.bodyHash);
    const reasons: Reason[] = row.reasons === null ? [] : JSON.parse(row.reasons);
    // Only what was translated claims a key, so a message whose day has been dropped was accepted once.
    return { externalMessageId: row.id, state: row.state ?? "accepted", reasons, messageIds: [], isDuplicate: true, isKeyReused };
  };
}

/** Many byte strings as one parameter with positions (from 1) and lengths: arrays of bytea would travel as hex, twice the size. */
function pack(parts: Buffer[]): { bytes: Buffer; positions: number[]; lengths: number[] } {
  let position = 1;
  const positions = parts.map((part) => {
    const own = position;
    position += part.length;
    return own;
  });
  return { bytes: Buffer.concat(parts), positions, lengths: parts.map((part) => part.length) };
}
