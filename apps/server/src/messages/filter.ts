import type pg from "pg";
import { EntityType, type Routes } from "@crossdock/contract";
import { getMessages, parsePayloadFilter, QueueError, toJsonPath, type MessageFilter, type PayloadFilter } from "@crossdock/queue";
import type { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { because, faultBecause } from "../errors/faults.ts";
import type { Masking } from "../masking/masking.ts";
import { selectQueues } from "./queue-selection.ts";

type Query = Omit<z.output<NonNullable<Routes["countMessages"]["query"]>>, "state">;

/**
 * The filters of the lists as the engine takes them, but for the states. With `concealing`, which is for
 * callers who may not reveal, what is masked cannot be found out by searching for it: a search goes through keys and ids alone.
 */
export async function toMessageFilter(
  client: pg.ClientBase,
  tenantId: number,
  given: Query,
  concealing: Masking | null,
): Promise<MessageFilter> {
  const query = concealing === null ? given : await withoutPayloadSearch(client, tenantId, given);
  const { id, key, keyPrefix, source, search, errorClass, httpStatus, attemptsMin, payload, from, to, fingerprint } = query;
  const queueIds = await selectQueues(client, tenantId, query);
  return {
    ...(queueIds && { queueIds }),
    ...(id && { ids: id }),
    ...(key && { keys: key }),
    ...(keyPrefix && { keyPrefix }),
    ...(source && { source }),
    ...(search && { search, searchKeys: await keysOfExternalId(client, tenantId, search) }),
    ...(errorClass && { errorClass }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(attemptsMin !== undefined && { attemptsMin }),
    ...(payload && { payload: readPayloadFilter(payload, concealing) }),
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
    ...(fingerprint !== undefined && { fingerprint }),
  };
}

// Asked per point and entity type, as the index has them before the external id.
const keysSql = `
  select distinct item.business_key as key
  from hub.integration_point point
  cross join lateral unnest($3::text[]) type (name)
  join hub.external_item item
    on item.tenant_id = point.tenant_id and item.integration_point_id = point.id and item.entity_type = type.name and item.external_id = $2
  where point.tenant_id = $1 limit 100`;

/** The business keys of what a target knows under this id. */
export async function keysOfExternalId(client: pg.ClientBase, tenantId: number, externalId: string): Promise<string[]> {
  return (await client.query<{ key: string }>(keysSql, [tenantId, externalId, EntityType.options])).rows.map(({ key }) => key);
}

async function withoutPayloadSearch(client: pg.ClientBase, tenantId: number, { search, ...query }: Query): Promise<Query> {
  if (search === undefined) return query;
  const [named] = [
    ...(await keysOfExternalId(client, tenantId, search)),
    ...(/^\d{1,18}$/.test(search) ? (await getMessages(client, { tenantId, messageIds: [search] })).map(({ key }) => key) : []),
  ];
  return named === undefined ? { ...query, keyPrefix: query.keyPrefix ?? search } : { ...query, key: query.key ?? [named] };
}

/** A filter whose payload filter is a path of SQL/JSON by which its caller may look, for lists that are not the engine's. */
export type Permitted<Asked> = Omit<Asked, "payload"> & { payload?: { path: string } | undefined };

/** Throws permission-missing for a payload filter by which a masked value could be found out. */
export function permitted<Asked extends { payload?: string | undefined }>(asked: Asked, concealing: Masking | null): Permitted<Asked> {
  const { payload, ...others } = asked;
  return { ...others, payload: payload === undefined ? undefined : { path: toJsonPath(readPayloadFilter(payload, concealing)) } };
}

function readPayloadFilter(text: string, concealing: Masking | null): PayloadFilter {
  try {
    const filter = parsePayloadFilter(text);
    if (concealing?.conceals(filter.path)) throw new ApiError("permission-missing", because("field-masked"));
    return concealing === null ? filter : { ...filter, skipsDocuments: true };
  } catch (error) {
    if (!(error instanceof QueueError)) throw error;
    throw new ApiError("validation-failed", {
      ...because("payload-filter", { fault: error.message }),
      errors: [faultBecause("/payload", "payload-filter", { fault: error.message })],
      cause: error,
    });
  }
}
