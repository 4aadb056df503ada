import { ConnectorCode, EntityType } from "@crossdock/contract";
import { listen } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import { openCredentials } from "../keys/credentials.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { tellAgainMs } from "../log.ts";
import { readMasking, type Masking } from "../masking/masking.ts";
import { indexMappings, type IndexedMapping, type MappingIndex } from "./mapping-index.ts";
import { createSourceClock, type SourceClock } from "./source-clock.ts";

/** An integration point as intake, gateway and delivery use it. */
export type Point = {
  tenantId: number;
  id: number;
  subtenantId: number;
  connector: ConnectorCode;
  code: string;
  isDevelopment: boolean;
  deliveryMode: "push" | "pull";
  /** What its system brings in. */
  sourceTypes: readonly EntityType[];
  /** What its system is given. */
  targetTypes: readonly EntityType[];
  settings: Record<string, unknown>;
  /** Null when they cannot be opened: sealed with another secret, or a key that is not here yet. The integration point's messages wait, the tenant's others go on. */
  credentials: Record<string, unknown> | null;
  /** Requests that the target allows; null: no limit. */
  ratePerSecond: number | null;
  isActive: boolean;
  /** Grows with each change of its configuration. */
  version: number;
  /** Grows as its address comes to lead to another system, whose ids are others. */
  system: number;
};

/** A queue that wants a document. `isPulled`: outside workers wait for it. `isReturned`: what its system makes of the document comes back to the source. */
export type Route = { queueId: number; isPulled: boolean; isReturned: boolean };

export type Subtenant = {
  id: number;
  code: string;
  isActive: boolean;
  isIncomingPaused: boolean;
  isOutgoingPaused: boolean;
  isDebugged: boolean;
};

/** One tenant's configuration at one moment. */
export type TenantDirectory = {
  isActive: boolean;
  /** The largest message that is taken from outside; null: the installation's limit alone. */
  messageBytesMax: number | null;
  subtenants: ReadonlyMap<number, Subtenant>;
  subtenantByCode: ReadonlyMap<string, Subtenant>;
  points: ReadonlyMap<number, Point>;
  /** Version of the tenant's mappings; 0 while it never had any. */
  mappingVersion: number;
  mappingsOf: MappingIndex;
  /** How personal values are masked in what is written about the tenant's documents. */
  masking: Masking;
  clock: SourceClock;
  /** Id of the queue of a target and entity type; undefined where there is none. */
  queueOf: (pointId: number, entityType: EntityType) => number | undefined;
  /** The queues that want a document that `source` brought in. */
  routesFrom: (source: Point, entityType: EntityType) => readonly Route[];
};

export type Directory = {
  /**
   * Not first within a transaction, and neither is `fresh`: of as many callers as there are connections each would hold one, and wait for another to read
   * the configuration by.
   */
  of: (tenantId: number) => Promise<TenantDirectory>;
  /** The next one who asks has it read anew: this process changed it, and the notification of that may come later than the next request. */
  forget: (tenantId: number) => void;
  /** Read anew: for whom another process may have changed it a moment ago. */
  fresh: (tenantId: number) => Promise<TenantDirectory>;
  /** The integration point behind a hook's id, and null for ids that nobody gave out. */
  pointOfHook: (hookId: string) => Promise<{ tenantId: number; pointId: number } | null>;
  /** Resolves when changes are heard of, so that what is cached from then on is current. */
  ready: Promise<void>;
  close: () => Promise<void>;
};

/** Cached tenants at most. A tenant's directory takes some 10 kB, and a hundred bytes for each mapping and source. */
const cacheSize = 5_000;
/** How long a copy is believed while notifications do not arrive, or when it lacks a key: that it has come to this machine, nobody notifies of. */
const briefAgeMs = 1_000;

type Cached<Value> = { value: Promise<Value>; loadedAt: number; isBrief: boolean };

/** Keeps integration points and mappings in memory; a notification from the database drops the tenant that changed. */
export function createDirectory(pool: pg.Pool, { keys, logger }: Pick<Deps, "keys" | "logger">): Directory {
  const tenants = new Map<number, Cached<TenantDirectory>>();
  const clock = createSourceClock(pool);
  const hooks = new Map<string, Cached<{ tenantId: number; pointId: number } | null>>();
  const listener = listen(pool, {
    channels: ["hub_changed"],
    onNotification: (_channel, payload) => {
      tenants.delete(Number(payload));
      hooks.clear();
    },
    onMissed: () => {
      tenants.clear();
      hooks.clear();
    },
    onError: (error) => logger.warn({ err: error }, "changes of the configuration are not heard; copies of it are kept for a second only"),
  });

  function cached<Key, Value>(
    cache: Map<Key, Cached<Value>>,
    key: Key,
    load: () => Promise<Value>,
    lacksKey: (value: Value) => boolean = () => false,
  ): Promise<Value> {
    const known = cache.get(key);
    if (known && ((listener.isListening && !known.isBrief) || performance.now() - known.loadedAt < briefAgeMs)) return known.value;
    const entry = { value: load(), loadedAt: performance.now(), isBrief: false };
    entry.value.then(
      (value) => (entry.isBrief = lacksKey(value)),
      () => {
        if (cache.get(key) === entry) cache.delete(key);
      },
    );
    const [oldest] = cache.keys();
    if (oldest !== undefined && cache.size >= cacheSize) cache.delete(oldest);
    cache.set(key, entry);
    return entry.value;
  }

  /** When it was told of a tenant's credentials last. */
  const toldAt = new Map<number, number>();
  const tell = (tenantId: number, integrationPointIds: number[]): void => {
    if (performance.now() - (toldAt.get(tenantId) ?? -Infinity) < tellAgainMs) return;
    toldAt.set(tenantId, performance.now());
    logger.error(
      { tenantId, integrationPointIds },
      "credentials cannot be opened: were they sealed with another secret, or with a key of credential.keys that this machine lacks?",
    );
  };

  const load = async (tenantId: number): Promise<TenantDirectory> => {
    const tenant = await loadTenant(pool, { keys, clock }, tenantId);
    const closed = closedPoints(tenant);
    if (closed.length > 0) tell(tenantId, closed);
    return tenant;
  };
  const of = (tenantId: number): Promise<TenantDirectory> =>
    cached(
      tenants,
      tenantId,
      () => load(tenantId),
      (tenant) => closedPoints(tenant).length > 0,
    );
  const forget = (tenantId: number): void => void tenants.delete(tenantId);

  return {
    of,
    forget,
    fresh: (tenantId) => {
      forget(tenantId);
      return of(tenantId);
    },
    pointOfHook: (hookId) => cached(hooks, hookId, () => findHook(pool, hookId)),
    ready: listener.ready,
    close: listener.stop,
  };
}

/** Those whose credentials cannot be opened here. */
const closedPoints = ({ points }: TenantDirectory): number[] =>
  [...points.values()].filter(({ credentials }) => credentials === null).map(({ id }) => id);

async function findHook(pool: pg.Pool, hookId: string): Promise<{ tenantId: number; pointId: number } | null> {
  const { rows } = await pool.query<{ tenantId: number; pointId: number }>(
    `select tenant_id as "tenantId", integration_point_id as "pointId" from hub.hook_tenant($1)`,
    [hookId],
  );
  return rows[0] ?? null;
}

const PointRow = z.object({
  id: z.number(),
  subtenantId: z.number(),
  connector: ConnectorCode,
  code: z.string(),
  environment: z.enum(["production", "development"]),
  deliveryMode: z.enum(["push", "pull"]),
  sourceTypes: z.array(EntityType),
  targetTypes: z.array(EntityType),
  settings: z.record(z.string(), z.unknown()),
  credentials: z.instanceof(Buffer).nullable(),
  ratePerSecond: z.number().nullable(),
  isActive: z.boolean(),
  version: z.number(),
  system: z.number(),
});

const subtenantsSql = `
  select id, code, is_active as "isActive", incoming_paused as "isIncomingPaused", outgoing_paused as "isOutgoingPaused",
    debug_mode as "isDebugged"
  from hub.subtenant where tenant_id = $1`;
const pointsSql = `
  select id, subtenant_id as "subtenantId", connector, code, environment, delivery_mode as "deliveryMode", source_types as "sourceTypes",
    target_types as "targetTypes", settings, credentials, rate_per_second as "ratePerSecond", is_active as "isActive", version, system
  from hub.integration_point where tenant_id = $1 order by id`;
// Those of the subtenant after those of the whole tenant, so that the more specific one wins.
const mappingsSql = `
  select subtenant_id as "subtenantId", field_name as "fieldName", source, source_value as "sourceValue", target, target_value as "targetValue"
  from hub.mapping where tenant_id = $1 order by subtenant_id nulls first, id`;
const mappingVersionSql = "select coalesce(max(version), 0) as version from hub.mapping_version where tenant_id = $1";
const queuesSql = `select id as "queueId", target_id as "targetId", name from queue.queue where tenant_id = $1`;

function loadTenant(
  pool: pg.Pool,
  { keys, clock }: Pick<Deps, "keys"> & { clock: SourceClock },
  tenantId: number,
): Promise<TenantDirectory> {
  return inTenant(pool, tenantId, async (client) => {
    // All as of one moment: what deliveries note as the version of the mappings is that of those that they apply.
    await client.query("set transaction isolation level repeatable read, read only");
    const tenant = await client.query<{ isActive: boolean }>(`select is_active as "isActive" from hub.tenant where id = $1`, [tenantId]);
    const subtenants = await client.query<Subtenant>(subtenantsSql, [tenantId]);
    const points = z.array(PointRow).parse((await client.query(pointsSql, [tenantId])).rows);
    const mappings = await client.query<IndexedMapping>(mappingsSql, [tenantId]);
    const version = await client.query<{ version: number }>(mappingVersionSql, [tenantId]);
    const limit = await client.query<{ bytes: number | null }>("select message_bytes as bytes from hub.tenant_limit where tenant_id = $1", [
      tenantId,
    ]);
    const queues = await client.query<{ queueId: number; targetId: number; name: string }>(queuesSql, [tenantId]);
    return assemble(
      tenant.rows[0]?.isActive ?? false,
      subtenants.rows,
      points.map(({ environment, credentials, ...point }) => ({
        ...point,
        tenantId,
        isDevelopment: environment === "development",
        credentials: openCredentials(keys.credentials, { tenantId, integrationPointId: point.id }, credentials),
      })),
      { version: version.rows[0]?.version ?? 0, rows: mappings.rows },
      new Map(queues.rows.map(({ queueId, targetId, name }) => [`${targetId} ${name}`, queueId])),
      { masking: await readMasking(client, tenantId, keys.masking), clock },
      limit.rows[0]?.bytes ?? null,
    );
  });
}

function assemble(
  isActive: boolean,
  subtenantList: Subtenant[],
  pointList: Point[],
  mappings: { version: number; rows: IndexedMapping[] },
  queueIds: ReadonlyMap<string, number>,
  judges: Pick<TenantDirectory, "masking" | "clock">,
  messageBytesMax: number | null,
): TenantDirectory {
  const subtenants = new Map(subtenantList.map((subtenant) => [subtenant.id, subtenant]));
  const points = new Map(pointList.map((point) => [point.id, point]));
  const routes = new Map<string, readonly Route[]>();
  const queueOf = (pointId: number, entityType: EntityType): number | undefined =>
    queueIds.get(`${pointId} ${points.get(pointId)?.connector}.${entityType}`);
  return {
    isActive,
    messageBytesMax,
    subtenants,
    subtenantByCode: new Map(subtenantList.map((subtenant) => [subtenant.code, subtenant])),
    points,
    mappingVersion: mappings.version,
    mappingsOf: indexMappings(mappings.rows),
    ...judges,
    queueOf,
    routesFrom: (given, entityType) => {
      // As it is here: what was begun before a change is routed, and its routes are kept for others, by what holds now.
      const source = points.get(given.id) ?? given;
      const route = `${source.id} ${entityType}`;
      const known = routes.get(route);
      if (known) return known;
      const found = pointList
        .filter((target) => wants(target, source, entityType))
        .flatMap((target) => {
          const queueId = queueOf(target.id, entityType);
          const isReturned = target.sourceTypes.includes(entityType) && wants(source, target, entityType);
          return queueId === undefined ? [] : [{ queueId, isPulled: target.deliveryMode === "pull", isReturned }];
        });
      routes.set(route, found);
      return found;
    },
  };
}

/** Why nothing is taken in from the integration point at the moment; null: it is. */
export function closedBecause(tenant: TenantDirectory, point: Point): "point-inactive" | "intake-paused" | null {
  const subtenant = tenant.subtenants.get(point.subtenantId);
  if (!tenant.isActive || !subtenant?.isActive || !point.isActive) return "point-inactive";
  return subtenant.isIncomingPaused ? "intake-paused" : null;
}

/** Real data may feed a test system; test data never reaches a real one. */
function wants(target: Point, source: Point, entityType: EntityType): boolean {
  return (
    target.isActive &&
    target.id !== source.id &&
    target.subtenantId === source.subtenantId &&
    target.targetTypes.includes(entityType) &&
    (target.isDevelopment || !source.isDevelopment)
  );
}
