import type pg from "pg";
import type { Message, MessageState, Routes, ScanLine } from "@crossdock/contract";
import { scanMessages, type MessageFilter, type ScanStep } from "@crossdock/queue";
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import { writeCursor } from "../cursors.ts";
import { inTenantUntil } from "../db.ts";
import { toMessage } from "../message-rows.ts";
import { streamAnswer } from "../streaming.ts";
import { readSubtenantCodes } from "../subtenant-codes.ts";
import { filtersOf } from "./search.ts";

/** A scan that found little ends then; whoever wants to look further back asks again with its cursor. */
const scanMsMax = 60_000;

export type Scan = {
  tenantId: number;
  filters: readonly [MessageFilter, ...MessageFilter[]];
  cursor: string | null;
  limit: number;
};

/** Answers with lines of JSON while the scan runs. When the caller hangs up, or `closing` says so, the statement under way is cancelled. */
export function streamScan(reply: FastifyReply, pool: pg.Pool, scan: Scan, closing: AbortSignal): Promise<void> {
  return streamAnswer(reply, {
    headers: { "content-type": "application/x-ndjson; charset=utf-8" },
    closing,
    async *read(stop) {
      for await (const line of readScan(pool, scan, stop)) yield `${JSON.stringify(line)}\n`;
    },
  });
}

async function* readScan(pool: pg.Pool, { tenantId, filters, cursor, limit }: Scan, signal: AbortSignal): AsyncGenerator<ScanLine> {
  const codes = await inTenantUntil(signal, pool, tenantId, (client) => readSubtenantCodes(client, tenantId));
  const endAt = performance.now() + scanMsMax;
  let left = limit;
  const run = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => inTenantUntil(signal, pool, tenantId, work);
  for await (const step of scanMessages(run, { tenantId, filters, cursor, limit: () => left })) {
    left -= step.items.length;
    const isEnd = step.cursor === null || left <= 0 || performance.now() >= endAt;
    yield toLine(step, codes, isEnd);
    if (isEnd) return;
  }
}

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

const walkedAtOnce = 1000;

/** Everything that a slow filter matches. */
export async function* walkScan(
  pool: pg.Pool,
  tenantId: number,
  readFilter: (client: pg.ClientBase) => Promise<MessageFilter>,
  states: readonly MessageState[] | undefined,
  signal: AbortSignal,
): AsyncGenerator<Message[]> {
  const run = <Result>(work: (client: pg.PoolClient) => Promise<Result>): Promise<Result> => inTenantUntil(signal, pool, tenantId, work);
  const { codes, filter } = await run(async (client) => ({
    codes: await readSubtenantCodes(client, tenantId),
    filter: await readFilter(client),
  }));
  const scan = { tenantId, filters: filtersOf({ filter, states }), cursor: null, limit: () => walkedAtOnce };
  for await (const { items } of scanMessages(run, scan)) yield items.map((item) => toMessage(item, codes));
}

function toLine({ items, cursor, searchedTo }: ScanStep, codes: ReadonlyMap<number, string>, isEnd: boolean): ScanLine {
  return {
    items: items.map((item) => toMessage(item, codes)),
    searchedTo: searchedTo?.toISOString() ?? null,
    nextCursor: cursor === null ? null : writeCursor(cursor),
    isEnd,
  };
}
