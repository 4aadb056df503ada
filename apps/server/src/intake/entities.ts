import type pg from "pg";
import { canonicalSchemas, sourceVersionOf, type EntityType } from "@crossdock/contract";
import type { NewMessage } from "@crossdock/queue";
import { inOrder } from "../db.ts";
import { faultBecause } from "../errors/faults.ts";
import type { Point } from "./directory.ts";
import { applyDocument, goneRecord, isOlder, unknownEntity, type CanonicalRecord, type EntityState } from "./entity-changes.ts";
import type { DocumentOutcome, Draft, IntakeJob, RoutedRecord, RoutedWhole } from "./job.ts";
import { pack } from "./pack.ts";
import { wholeName } from "./translate.ts";

/** Business objects of a batch, by their identity. */
export type Entities = ReadonlyMap<string, Entity>;

type Entity = {
  /** Of the document that asked first, later of the one that changed it last. */
  point: Point;
  record: Pick<CanonicalRecord, "entityType" | "key">;
  before: EntityState;
  after: EntityState;
  /** The document as it is known, where it may be needed. */
  text: string | null;
  /** The external message that brought in the version known, or that which it replayed, where a replay asks for it. */
  origin: bigint | null;
  /** Ids of the integration points that brought in the newest versions, the last one first, where two systems may write to each other. */
  sources: number[];
  versions: { version: number; text: string; draft: Draft }[];
};

function entityId(point: Point, record: Pick<CanonicalRecord, "entityType" | "key">): string {
  return `${point.subtenantId} ${point.isDevelopment} ${record.entityType} ${record.key}`;
}

/**
 * Applies a draft's documents to what earlier ones have left, decides its state and gathers its messages. The time of `known` is since when something
 * has gone whose source doesn't say.
 */
export function decide(draft: Draft, entities: Entities, known: Wholes): void {
  const { point, translation } = draft.job;
  if (translation.kind !== "documents") {
    draft.state = translation.kind;
    draft.reasons = translation.reasons;
    return;
  }
  const { records, remarks } = translation;
  draft.reasons.push(...remarks);
  const late = lateIn(translation, known);
  for (const record of records) {
    const entity = entities.get(entityId(point, record));
    if (!entity) continue;
    const isLate = (record.partOf !== null && late.has(record.partOf)) || isPassed(draft, entity, record);
    const outcome =
      record.deletedAt === null ? apply(draft, entity, staying(point, entity, record), isLate) : remove(draft, entity, record);
    draft.documents.push(outcome);
    if (outcome.reason) draft.reasons.push(outcome.reason);
  }
  let isAnyGone = false;
  const wholes = translation.wholes.filter(({ name }) => !late.has(name));
  for (const whole of wholes) {
    known.told.set(whole.name, toldBy(whole, known.now));
    for (const entity of entities.values()) {
      if (entity.text === null || entity.after.partOf !== whole.name || whole.skus.has(skuOf(entity.record))) continue;
      const at = whole.at ?? known.now;
      const record = goneRecord(entity.record, entity.text, { deletedAt: at, updatedAt: at }, whole.skus.size === 0);
      draft.gone.push(record);
      // It stays as old as it was: another product may have it by now, and sources notice a deletion later than the time that they give to what is made next.
      // What is older of this product is known by `told`.
      const gone = { ...record, sourceVersion: entity.after.sourceVersion, routes: whole.routes[record.entityType] ?? [] };
      const { verdict, reason } = apply(draft, entity, gone, isOlder(entity.after, record));
      if (verdict === "changed") isAnyGone = true;
      if (reason) draft.reasons.push(reason);
    }
  }
  const isEmpty = records.length === 0 && draft.gone.length === 0;
  if (isEmpty) draft.reasons.push(faultBecause("", "deletion-unknown"));
  const isChanged = isAnyGone || draft.documents.some(({ verdict }) => verdict === "changed");
  draft.state = isChanged ? "accepted" : isEmpty ? "ignored" : "unchanged";
}

/**
 * The source's objects that a message tells of as they were before what is known of them. What doesn't tell all of one is as new as the newest of its parts:
 * stock may have changed long before the product that it came with.
 */
function lateIn({ records, wholes }: Pick<Documents, "records" | "wholes">, { told, now }: Wholes): ReadonlySet<string> {
  const times = new Map<string, bigint>();
  for (const { partOf, sourceVersion } of records) {
    if (partOf !== null && sourceVersion !== null && sourceVersion > (times.get(partOf) ?? -1n)) times.set(partOf, sourceVersion);
  }
  for (const whole of wholes) times.set(whole.name, toldBy(whole, now));
  return new Set([...times].filter(([name, time]) => time < (told.get(name) ?? time)).map(([name]) => name));
}

/** Sent through once more, it is as old as it was; without times of the source's what came in behind it is newer. */
function isPassed({ job: { replayOf } }: Draft, { origin, after }: Entity, { sourceVersion }: RoutedRecord): boolean {
  const isTimed = sourceVersion !== null && after.sourceVersion !== null;
  return replayOf !== null && origin !== null && !isTimed && origin > BigInt(replayOf);
}

function toldBy({ at }: RoutedWhole, now: string): bigint {
  return BigInt(sourceVersionOf({ updatedAt: at ?? now }) ?? 0);
}

/** A source's message that doesn't name the object that it was found in, such as one of its stock, leaves it there; another source's takes it out. */
function staying(point: Point, { after }: Entity, record: RoutedRecord): RoutedRecord {
  return record.partOf === null && after.partOf?.startsWith(wholeName(point, "")) ? { ...record, partOf: after.partOf } : record;
}

/** A document says that its source deleted the item. Where nothing is known of it no target hears of that, but an older document that comes late is known as such. */
function remove(draft: Draft, entity: Entity, { routes, ...record }: RoutedRecord): DocumentOutcome {
  const { text, after } = entity;
  if (text === null || after.version === 0) {
    apply(draft, entity, { ...record, routes: [] }, false);
    return { verdict: "unchanged", reason: faultBecause(record.key, "deletion-unknown") };
  }
  const { deletedAt, updatedAt } = canonicalSchemas.item.parse(JSON.parse(record.text));
  return apply(draft, entity, { ...goneRecord(record, text, { deletedAt, updatedAt: updatedAt ?? deletedAt }, false), routes }, false);
}

/** Of an item or its stock. */
function skuOf({ entityType, key }: Entity["record"]): string {
  return entityType === "stock" ? key.slice(0, key.lastIndexOf("@")) : key;
}

/** What it changed goes to its queues. */
function apply(draft: Draft, entity: Entity, record: RoutedRecord, isLate: boolean): DocumentOutcome {
  const { point, traceparent } = draft.job;
  const { verdict, state } = applyDocument(entity.after, record, isLate);
  entity.after = state;
  if (verdict === "outdated") return { verdict, reason: faultBecause(record.key, "entity-outdated", { entityType: record.entityType }) };
  entity.text = record.text;
  if (verdict === "unchanged") return { verdict, reason: null };
  const isHeld = draft.job.replayOf === null && isCircling(entity.sources, point.id);
  entity.sources.unshift(point.id);
  entity.point = point;
  entity.versions.push({ version: state.version, text: record.text, draft });
  entity.origin = BigInt(draft.job.replayOf ?? draft.id);
  // Without a time of its own it is as new as what is known: ranked lower, it would lose to an older one that waits or failed.
  const published = { ...record, sourceVersion: state.sourceVersion };
  for (const { queueId, isPulled, isReturned } of record.routes) {
    if (isHeld && isReturned) continue;
    const message = toMessage(point, draft.id, published, queueId, state.version);
    draft.messages.push(traceparent === null ? message : { ...message, headers: { ...message.headers, traceparent } });
    if (isPulled) draft.pulledQueueIds.push(queueId);
  }
  return { verdict, reason: isHeld ? faultBecause(record.key, "entity-circling", { entityType: record.entityType }) : null };
}

/** Changes of two systems in turns until each is taken for what it made of the other's, in another unit or shortened, and not sent to the other. */
const turnsMax = 5;

function isCircling(sources: readonly number[], pointId: number): boolean {
  const turns = [pointId, ...sources].slice(0, turnsMax + 1);
  return turns.length > turnsMax && turns.every((id, index) => id !== turns[index + 1]);
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
  select wanted.*, entity.version, entity.hash, entity.source_version::text as "sourceVersion", entity.part_of as "partOf",
    entity.deleted_at::text as "deletedAt"
  from (
    select * from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[]) as input ("subtenantId", "entityType", key, "isDevelopment")
    order by 1, 2, 3, 4
  ) wanted
  cross join lateral (
    select entity.version, entity.hash, entity.source_version, entity.part_of, entity.deleted_at from hub.entity
    where entity.tenant_id = $1 and entity.subtenant_id = wanted."subtenantId" and entity.entity_type = wanted."entityType"
      and entity.business_key = wanted.key and entity.is_development = wanted."isDevelopment"
    for no key update
  ) entity`;

type Row = { subtenantId: number; entityType: EntityType; key: string; isDevelopment: boolean };
type LockedRow = Row & { version: number; hash: Buffer; sourceVersion: string | null; partOf: string | null; deletedAt: string | null };

/** Of the sources' objects that a batch tells of, what is known as part of them and the source version of which they told all that they have. */
export type Wholes = { parts: readonly Part[]; before: ReadonlyMap<string, bigint>; told: Map<string, bigint>; now: string };
type Part = Row & { partOf: string };
type Documents = Extract<IntakeJob["translation"], { kind: "documents" }>;

// In an order of their own, before any other lock: a message that adds a part, in another process, is waited for or waits.
const lockWholesSql = `select pg_advisory_xact_lock($1, hashtext(name)) from (select unnest($2::text[]) as name order by name) wanted`;
const partsSql = `
  select entity.subtenant_id as "subtenantId", entity.entity_type as "entityType", entity.business_key as key,
    entity.is_development as "isDevelopment", entity.part_of as "partOf"
  from unnest($2::text[]) as wanted (name)
  cross join lateral (select * from hub.entity where entity.tenant_id = $1 and entity.part_of = wanted.name) entity`;
const toldSql = `select name, source_version::text as version from hub.whole where tenant_id = $1 and name = any ($2)`;
const nowSql = `select queue.iso(clock_timestamp()) as now`;

/** Locks the sources' objects that the jobs' documents were found in or tell all of, and reads what is known of them. */
export async function lockWholes(client: pg.ClientBase, tenantId: number, jobs: readonly IntakeJob[]): Promise<Wholes> {
  const names = [...new Set(jobs.flatMap(({ translation }) => (translation.kind === "documents" ? wholesOf(translation) : [])))];
  if (names.length === 0) return { parts: [], before: new Map(), told: new Map(), now: "" };
  const [, parts, told, clock] = await inOrder([
    client.query(lockWholesSql, [tenantId, names]),
    client.query<Part>({ name: "intake-parts", text: partsSql, values: [tenantId, names] }),
    client.query<{ name: string; version: string }>({ name: "intake-wholes", text: toldSql, values: [tenantId, names] }),
    client.query<{ now: string }>(nowSql),
  ]);
  const before = new Map(told.rows.map(({ name, version }) => [name, BigInt(version)]));
  return { parts: parts.rows, before, told: new Map(before), now: clock.rows[0]?.now ?? "" };
}

function wholesOf({ records, wholes }: Documents): string[] {
  return [...wholes.map(({ name }) => name), ...records.flatMap(({ partOf }) => partOf ?? [])];
}

/** Locks the business objects that the jobs are about, with `parts`, and reads what is known of them. */
export async function lockEntities(
  client: pg.ClientBase,
  tenantId: number,
  jobs: readonly IntakeJob[],
  { parts }: Wholes,
): Promise<Entities> {
  const entities = new Map<string, Entity>();
  /** Of those that may turn out to be gone. */
  const needed = new Set<Entity>();
  /** Of those that a replay tells of. */
  const replayed = new Set<Entity>();
  /** Of those that two systems write. */
  const returned = new Set<Entity>();
  for (const { point, translation, replayOf } of jobs) {
    if (translation.kind !== "documents") continue;
    const partsOfIt = translation.wholes.flatMap(({ name, skus }) => parts.filter((row) => row.partOf === name && !skus.has(skuOf(row))));
    for (const record of [...translation.records, ...partsOfIt]) {
      const id = entityId(point, record);
      const entity = entities.get(id) ?? {
        point,
        record,
        before: unknownEntity,
        after: unknownEntity,
        text: null,
        origin: null,
        sources: [],
        versions: [],
      };
      entities.set(id, entity);
      if ("subtenantId" in record || record.deletedAt !== null) needed.add(entity);
      if (replayOf !== null) replayed.add(entity);
      if ("routes" in record && record.routes.some(({ isReturned }) => isReturned)) returned.add(entity);
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
    const { version, hash, partOf, deletedAt } = row;
    entity.before = entity.after = { version, hash, sourceVersion, partOf, deletedAt };
  }
  await readVersions(client, tenantId, textsSql, [...needed], (entity, text) => (entity.text = text));
  await readVersions(client, tenantId, originsSql, [...replayed], (entity, origin) => (entity.origin = BigInt(origin)));
  const turned = [...returned].filter(({ before }) => before.version >= turnsMax);
  await readVersions(client, tenantId, sourcesSql, turned, (entity, ids) => (entity.sources = ids.split(" ").map(Number)));
  return entities;
}

/** Of versions that are known: `value` is the text that is asked for. */
function versionsSql(value: string, joined = ""): string {
  return `
  select wanted.ordinal::integer, ${value} as value
  from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[], $6::integer[]) with ordinality
    as wanted (subtenant_id, entity_type, key, is_development, version, ordinal)
  cross join lateral (
    select document, external_message_id from hub.entity_version own
    where own.tenant_id = $1 and own.subtenant_id = wanted.subtenant_id and own.entity_type = wanted.entity_type and own.business_key = wanted.key
      and own.is_development = wanted.is_development and own.version = wanted.version
  ) version ${joined}`;
}

const textsSql = versionsSql("version.document");
const originsSql = versionsSql(
  "coalesce(message.replay_of, version.external_message_id)::text",
  "left join hub.external_message message on message.tenant_id = $1 and message.id = version.external_message_id",
);

// Stock may well be sold at two places in turns.
const sourcesSql = `
  select wanted.ordinal::integer, string_agg(version.integration_point_id::text, ' ' order by version.version desc) as value
  from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[], $6::integer[]) with ordinality
    as wanted (subtenant_id, entity_type, key, is_development, version, ordinal)
  cross join lateral (
    select version, integration_point_id from hub.entity_version own
    where own.tenant_id = $1 and own.subtenant_id = wanted.subtenant_id and own.entity_type = wanted.entity_type and own.business_key = wanted.key
      and own.is_development = wanted.is_development and own.version > wanted.version - ${turnsMax}
      and own.created_at > now() - case wanted.entity_type when 'stock' then interval '10 minutes' else interval '2 hours' end
  ) version
  group by 1`;

async function readVersions(
  client: pg.ClientBase,
  tenantId: number,
  sql: string,
  entities: readonly Entity[],
  keep: (entity: Entity, value: string) => void,
): Promise<void> {
  if (entities.length === 0) return;
  const { rows } = await client.query<{ ordinal: number; value: string }>(sql, [
    tenantId,
    entities.map(({ point }) => point.subtenantId),
    entities.map(({ record }) => record.entityType),
    entities.map(({ record }) => record.key),
    entities.map(({ point }) => point.isDevelopment),
    entities.map(({ before }) => before.version),
  ]);
  for (const { ordinal, value } of rows) {
    const entity = entities[ordinal - 1];
    if (entity) keep(entity, value);
  }
}

// An object that another process created since the look-up makes the insert of its version 1 fail, and the batch runs again.
const writeEntitiesSql = `
  with head as (
    insert into hub.entity as entity (tenant_id, subtenant_id, entity_type, business_key, is_development, version, hash, source_version, integration_point_id,
      part_of, deleted_at)
    select $1, * from unnest($2::integer[], $3::text[], $4::text[], $5::boolean[], $6::integer[], $7::bytea[], $8::bigint[], $9::integer[], $20::text[],
      $21::timestamptz[])
    order by 2, 3, 4, 5
    on conflict (tenant_id, subtenant_id, entity_type, business_key, is_development) do update
    set version = excluded.version, hash = excluded.hash, source_version = excluded.source_version, integration_point_id = excluded.integration_point_id,
      part_of = excluded.part_of, deleted_at = excluded.deleted_at, told_at = excluded.told_at,
      changed_at = case when entity.version = excluded.version then entity.changed_at else excluded.changed_at end
  )
  insert into hub.entity_version (tenant_id, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, document)
  select $1, subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id,
    convert_from(substring($10::bytea from position for length), 'UTF8')
  from unnest($11::integer[], $12::text[], $13::text[], $14::boolean[], $15::integer[], $16::bigint[], $17::integer[], $18::integer[], $19::integer[])
    as input (subtenant_id, entity_type, business_key, is_development, version, external_message_id, integration_point_id, position, length)`;

const writeWholesSql = `
  insert into hub.whole (tenant_id, name, source_version) select $1, * from unnest($2::text[], $3::bigint[])
  on conflict (tenant_id, name) do update set source_version = excluded.source_version`;

/** Writes of which source version the sources' objects told all that they have, where `decide` has found a newer one. */
export async function writeWholes(client: pg.ClientBase, tenantId: number, { before, told }: Wholes): Promise<void> {
  const newer = [...told].filter(([name, version]) => version !== before.get(name));
  if (newer.length === 0) return;
  const values = [tenantId, newer.map(([name]) => name), newer.map(([, version]) => version.toString())];
  await client.query({ name: "intake-write-wholes", text: writeWholesSql, values });
}

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
      entities.map(({ after }) => after.partOf),
      entities.map(({ after }) => after.deletedAt),
    ],
  });
}
