import type { ExternalItemKey, ExternalJobRequest } from "@crossdock/contract";
import { inPortions } from "@crossdock/queue";
import type pg from "pg";
import { z } from "zod";
import { permitPayload, type Caller } from "../masking/concealing.ts";
import { ApiError } from "../errors/errors.ts";
import { faultBecause } from "../errors/faults.ts";
import { ItemId, itemIdOf } from "../external-items/item-id.ts";
import { findMatching, findNamedRemoved, findRemoved, type RemovedItem } from "../external-items/rows.ts";
import { matchingSql, permittedFilter } from "../external-messages/matching.ts";
import { boundsBut, checkTotal } from "./rows.ts";

/**
 * What a job about external messages or items is about. `id` is an external message's, the number of a removed item, or counts the items
 * to be removed, which go by their names.
 */
type ExternalPlace = { id: string; item: ExternalItemKey | null };

type Request<Subject> = Extract<ExternalJobRequest, { subject: Subject }>;

type Portions = AsyncGenerator<ExternalPlace[], void>;

/** The ones that an operation will be carried out on, as they are now, a portion at a time. */
export function selectExternal(client: pg.ClientBase, caller: Caller, request: ExternalJobRequest): Portions {
  if (request.subject === "external-messages") return selectMessages(client, caller, request);
  return request.kind === "restore" ? selectRemoved(client, caller, request) : selectItems(client, caller, request);
}

const namedSql = (isRemoved: boolean): string => `
  select message.id::text from unnest($2::bigint[]) wanted (id)
  cross join lateral (
    select id from hub.external_message own
    where own.tenant_id = $1 and own.id = wanted.id and own.removed_at is ${isRemoved ? "not null" : "null"} offset 0
  ) message order by message.id`;

const toPlaces = (rows: { id: string }[]): ExternalPlace[] => rows.map(({ id }) => ({ id, item: null }));
const numbered = (items: ExternalItemKey[], from = 0): ExternalPlace[] =>
  items.map((item, index) => ({ id: String(from + index + 1), item }));

/** Of external messages, and of removed items. */
const Numbers = z.array(z.string().regex(/^[1-9]\d{0,17}$/));
const ItemIds = z.array(ItemId);

async function* selectMessages(client: pg.ClientBase, caller: Caller, { kind, selection }: Request<"external-messages">): Portions {
  const { tenantId, principal } = caller;
  const removed = kind === "restore";
  if ("ids" in selection) {
    const ids = named(Numbers, selection.ids);
    yield toPlaces((await client.query<{ id: string }>(namedSql(removed), [tenantId, ids])).rows);
    return;
  }
  const { filter, except = [] } = selection;
  const { limit, check } = boundsBut(except.length);
  const wanted = await permitPayload(client, caller, permittedFilter(principal, { ...filter, removed }));
  const { sql, values } = await matchingSql(client, tenantId, wanted, { before: null, limit });
  const spared = new Set(except);
  for await (const rows of inPortions<{ id: string }>(client, `select id::text from (${sql}) found order by found.id`, values, check))
    yield toPlaces(rows.filter(({ id }) => !spared.has(id)));
}

async function* selectItems(client: pg.ClientBase, caller: Caller, { selection }: Request<"external-items">): Portions {
  if ("ids" in selection) {
    yield numbered(named(ItemIds, selection.ids));
    return;
  }
  const { filter, except = [] } = selection;
  const { limit, check } = boundsBut(except.length);
  const wanted = await permitPayload(client, caller, filter);
  const spared = new Set(except);
  let count = 0;
  for await (const found of findMatching(client, caller.tenantId, wanted, limit, check)) {
    const items = found.filter((item) => !spared.has(itemIdOf(item)));
    yield numbered(items, count);
    count += items.length;
  }
}

const toPlace = ({ id, ...item }: RemovedItem): ExternalPlace => ({ id, item });

async function* selectRemoved(client: pg.ClientBase, caller: Caller, { selection }: Request<"external-items">): Portions {
  const { tenantId } = caller;
  if ("ids" in selection) {
    yield (await findNamedRemoved(client, tenantId, named(Numbers, selection.ids))).map(toPlace);
    return;
  }
  const { filter, except = [] } = selection;
  const { limit, check } = boundsBut(except.length);
  const wanted = await permitPayload(client, caller, filter);
  const spared = new Set(except);
  for await (const found of findRemoved(client, tenantId, wanted, limit, check))
    yield found.filter(({ id }) => !spared.has(id)).map(toPlace);
}

/** Each once, however often it was named. Names of rows that are none of this list's are told as any other bad input. */
function named<Schema extends z.ZodType>(schema: Schema, ids: readonly string[]): z.output<Schema> {
  const { data, success } = schema.safeParse([...new Set(ids)]);
  if (!success) throw new ApiError("validation-failed", { errors: [faultBecause("body/selection/ids", "rows-unknown")] });
  return data;
}

// What a message is about is noted as it is now, so that the job can tell of it for as long as it is kept.
const insertMessagesSql = `
  insert into hub.job_item (tenant_id, job_id, message_id, integration_point_id, entity_type, business_key, system)
  select $1, $2, message.id, message.integration_point_id, message.entity_type, message.business_key, point.system
  from unnest($3::bigint[]) wanted (id)
  cross join lateral (select * from hub.external_message own where own.tenant_id = $1 and own.id = wanted.id offset 0) message
  left join hub.integration_point point on point.tenant_id = $1 and point.id = message.integration_point_id`;
const insertItemsSql = `
  insert into hub.job_item (tenant_id, job_id, message_id, integration_point_id, entity_type, business_key, system)
  select $1, $2, place.*, point.system
  from unnest($3::bigint[], $4::integer[], $5::text[], $6::text[]) as place (id, integration_point_id, entity_type, business_key)
  left join hub.integration_point point on point.tenant_id = $1 and point.id = place.integration_point_id`;

/** Notes what a new job is about as it is found: memory holds a portion of it. How many there are. */
export async function insertExternal(client: pg.ClientBase, tenantId: number, jobId: number, portions: Portions): Promise<number> {
  let total = 0;
  for await (const places of portions) {
    const ids = places.map(({ id }) => id);
    const items = places.flatMap(({ item }) => item ?? []);
    if (items.length === 0) await client.query(insertMessagesSql, [tenantId, jobId, ids]);
    else {
      const names = [items.map((item) => item.integrationPointId), items.map((item) => item.entityType), items.map(({ key }) => key)];
      await client.query(insertItemsSql, [tenantId, jobId, ids, ...names]);
    }
    total += places.length;
    checkTotal(total);
  }
  return total;
}
