import type pg from "pg";
import type { Routes } from "@crossdock/contract";
import type { MessageFilter } from "@crossdock/queue";
import type { z } from "zod";
import { selectQueues } from "./queue-selection.ts";

type Query = z.output<NonNullable<Routes["countMessages"]["query"]>>;

/** The filters of the lists as the engine takes them, but for the states: it reads one of them at a time. */
export async function toMessageFilter(client: pg.ClientBase, tenantId: number, query: Query): Promise<MessageFilter> {
  const { key, keyPrefix, source, search, from, to } = query;
  const queueIds = await selectQueues(client, tenantId, query);
  return {
    ...(queueIds && { queueIds }),
    ...(key && { key }),
    ...(keyPrefix && { keyPrefix }),
    ...(source && { source }),
    ...(search && { search }),
    ...(from && { from: new Date(from) }),
    ...(to && { to: new Date(to) }),
  };
}
