import type pg from "pg";
import type { Routes } from "@crossdock/contract";
import { parsePayloadFilter, QueueError, type MessageFilter, type PayloadFilter } from "@crossdock/queue";
import type { z } from "zod";
import { ApiError } from "./errors.ts";
import { selectQueues } from "./queue-selection.ts";

type Query = z.output<NonNullable<Routes["countMessages"]["query"]>>;

/** The filters of the lists as the engine takes them, but for the states: it reads one of them at a time. */
export async function toMessageFilter(client: pg.ClientBase, tenantId: number, query: Query): Promise<MessageFilter> {
  const { key, keyPrefix, source, search, errorClass, httpStatus, attemptsMin, payload, from, to } = query;
  const queueIds = await selectQueues(client, tenantId, query);
  return {
    ...(queueIds && { queueIds }),
    ...(key && { key }),
    ...(keyPrefix && { keyPrefix }),
    ...(source && { source }),
    ...(search && { search, searchKeys: await keysOfExternalId(client, tenantId, search) }),
    ...(errorClass && { errorClass }),
    ...(httpStatus !== undefined && { httpStatus }),
    ...(attemptsMin !== undefined && { attemptsMin }),
    ...(payload && { payload: readPayloadFilter(payload) }),
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
  };
}

// Asked per point and entity type, as the index has them before the external id.
const keysSql = `
  select distinct item.business_key as key
  from hub.integration_point point
  cross join lateral unnest(point.entity_types) type (name)
  join hub.external_item item
    on item.tenant_id = point.tenant_id and item.integration_point_id = point.id and item.entity_type = type.name and item.external_id = $2
  where point.tenant_id = $1 limit 100`;

/** The business keys of what a target knows under this id. */
async function keysOfExternalId(client: pg.ClientBase, tenantId: number, externalId: string): Promise<string[]> {
  return (await client.query<{ key: string }>(keysSql, [tenantId, externalId])).rows.map(({ key }) => key);
}

function readPayloadFilter(text: string): PayloadFilter {
  try {
    return parsePayloadFilter(text);
  } catch (error) {
    if (!(error instanceof QueueError)) throw error;
    throw new ApiError("validation-failed", {
      detail: error.message,
      errors: [{ path: "/payload", message: error.message }],
      cause: error,
    });
  }
}
