import { once } from "node:events";
import type { ServerResponse } from "node:http";
import type pg from "pg";
import type { ScanLine } from "@crossdock/contract";
import { scanMessages, type MessageFilter, type ScanStep } from "@crossdock/queue";
import type { FastifyReply } from "fastify";
import { writeCursor } from "../cursors.ts";
import { inTenantUntil } from "../db.ts";
import { toMessage } from "../message-rows.ts";
import { readSubtenantCodes } from "../subtenant-codes.ts";

/** A scan that found little ends then; whoever wants to look further back asks again with its cursor. */
const scanMsMax = 60_000;

export type Scan = {
  tenantId: number;
  filters: readonly [MessageFilter, ...MessageFilter[]];
  cursor: string | null;
  limit: number;
};

/** Answers with lines of JSON while the scan runs. When the caller hangs up, or `closing` says so, the statement under way is cancelled. */
export async function streamScan(reply: FastifyReply, pool: pg.Pool, scan: Scan, closing: AbortSignal): Promise<void> {
  reply.hijack();
  const stream = reply.raw;
  const hungUp = new AbortController();
  stream.once("close", () => hungUp.abort());
  const stop = AbortSignal.any([hungUp.signal, closing]);
  for (const [name, value] of Object.entries(reply.getHeaders())) if (value !== undefined) stream.setHeader(name, value);
  stream.writeHead(200, { "content-type": "application/x-ndjson; charset=utf-8", "cache-control": "no-store", "x-accel-buffering": "no" });
  try {
    for await (const line of readScan(pool, scan, stop)) await write(stream, `${JSON.stringify(line)}\n`);
    stream.end();
  } catch (error) {
    // Without its last line the answer is visibly incomplete.
    stream.destroy();
    if (!stop.aborted) throw error;
  }
}

/** Waits where the reader is slower than the search. */
async function write(stream: ServerResponse, text: string): Promise<void> {
  if (!stream.write(text) && !stream.destroyed) await Promise.race([once(stream, "drain"), once(stream, "close")]);
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

function toLine({ items, cursor, searchedTo }: ScanStep, codes: ReadonlyMap<number, string>, isEnd: boolean): ScanLine {
  return {
    items: items.map((item) => toMessage(item, codes)),
    searchedTo: searchedTo?.toISOString() ?? null,
    nextCursor: cursor === null ? null : writeCursor(cursor),
    isEnd,
  };
}
