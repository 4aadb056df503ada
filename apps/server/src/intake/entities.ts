import type pg from "pg";
import type { EntityType } from "@crossdock/contract";
import type { NewMessage } from "@crossdock/queue";
import { faultBecause } from "../faults.ts";
import type { Point } from "./directory.ts";
import { applyDocument, unknownEntity, type CanonicalRecord, type EntityState } from "./entity-changes.ts";
import type { Draft, IntakeJob } from "./job.ts";
import { pack } from "./pack.ts";

/** Business objects of a batch, by their identity. */
export type Entities = ReadonlyMap<string, Entity>;

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

/** Applies a draft's documents to what earlier ones have left, decides its state and gathers its messages. */
export function decide(draft: Draft, entities: Entities): void {
  const { point, translation, traceparent } = draft.job;
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
    if (verdict === "outdated") draft.reasons.push(faultBecause(record.key, "entity-outdated", { entityType: record.entityType }));
    if (verdict !== "changed") continue;
    isChanged = true;
    entity.point = point;
    entity.versions.push({ version: state.version, text: record.text, draft });
    for (const { queueId, isPulled } of record.routes) {
      const message = toMessage(point, draft.id, record, queueId, state.version);
      draft.messages.push(traceparent === null ? message : { ...message, headers: { ...message.headers, traceparent } });
      if (isPulled) draft.pulledQueueIds.push(queueId);
    }
  }
  draft.state = isChanged ? "accepted" : "unchanged";
}

type Published = Pick<CanonicalRecord, "entityType" | "key" | "text" | "sourceVersion">;

/** A version of a business object, which `point` brought in by the external message `originId`, on its way to a queue. */
export function toMessage(point: Point, originId: string, record: Published, queueId: number, entityVersion: number): NewMessage {
  return {
    tenantId: point.tenantId,
    queueId,
    subtenantId: point.subtenantId,
    key: record.key,
    entityType: record.entityType,
    source: point.connector,
    // The delivery reads which system's words the document uses.
    headers: { source: point.connector },
    document: record.text,
    version: record.sourceVersion?.toString() ?? null,
    originId,
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

/** Locks the business objects that the jobs are about and reads what is known of them. */
export async function lockEntities(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<Entities> {
  const entities = new Map<string, Entity>();
  for (const { point, translation } of jobs) {
    if (translation.kind !== "documents") continue;
    for (const record of translation.records) {
      const id = entityId(point, record);
      if (!entities.has(id)) entities.set(id, { point, record, before: unknownEntity, after: unknownEntity, versions: [] });
    }
  }
  if (entities.size === 0) return entities;
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
  return entities;
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

/** Writes what `decide` has changed. */
export async function writeEntities(client: pg.ClientBase, tenantId: number, all: Entities): Promise<void> {
  const entities = [...all.values()].filter((entity) => entity.after !== entity.before);
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
