import type pg from "pg";
import type { Message, MessageState, Routes } from "@crossdock/contract";
import { scanMessages, type MessageFilter } from "@crossdock/queue";
import type { z } from "zod";
import { writeCursor } from "../cursors.ts";
import { toMessage } from "../message-rows.ts";
import type { Scan } from "../scanning.ts";
import { readSubtenantCodes } from "../subtenant-codes.ts";
import { filtersOf } from "./search.ts";

type Asked = Pick<
  z.output<NonNullable<Routes["listMessages"]["query"]>>,
  "search" | "errorClass" | "httpStatus" | "attemptsMin" | "payload"
>;

const indexedLengthMin = 3;

/** Whether a filter's answer is ready in no index, so that the messages are looked through from the newest to the oldest. */
export function isSlow({ search, errorClass, httpStatus, attemptsMin, payload }: Asked): boolean {
  const longest = Math.max(...(search?.split(/[\s"]+/) ?? []).map(({ length }) => length));
  return [errorClass, httpStatus, attemptsMin, payload].some((value) => value !== undefined) || (longest > 0 && longest < indexedLengthMin);
}

type Wish = { tenantId: number; filter: MessageFilter; states: readonly MessageState[] | undefined; cursor: string | null };

/** The engine's own search, newest first. */
export async function prepareScan(client: pg.ClientBase, { tenantId, filter, states, cursor }: Wish): Promise<Scan<Message>> {
  const codes = await readSubtenantCodes(client, tenantId);
  return async function* (run, limit) {
    for await (const step of scanMessages(run, { tenantId, filters: filtersOf({ filter, states }), cursor, limit })) {
      yield {
        items: step.items.map((item) => toMessage(item, codes)),
        cursor: step.cursor === null ? null : writeCursor(step.cursor),
        searchedTo: step.searchedTo?.toISOString() ?? null,
      };
    }
  };
}
