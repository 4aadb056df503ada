import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { RouteDefinition } from "@crossdock/contract";
import { nextScanSize, scanSizeMin } from "@crossdock/queue";
import type { z } from "zod";
import { inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addRoute, type RouteContext } from "./route.ts";
import { createSlots, type Slots } from "../http/slots.ts";
import { streamAnswer } from "../http/streaming.ts";

/** Scans that one process runs at a time: each keeps a connection of the lists' pool busy. */
const scansMax = 5;
/** A scan ends after this time, however little it has found; whoever wants to look further asks again with its cursor. */
const scanMsMax = 60_000;

declare module "fastify" {
  interface FastifyInstance {
    scans: Slots & { closing: AbortSignal };
  }
}

/** From here on the app's lists may be scanned; scans under way end when the app closes. */
export function permitScans(app: FastifyInstance): void {
  const closing = new AbortController();
  app.decorate("scans", Object.assign(createSlots(scansMax, 5), { closing: closing.signal }));
  app.addHook("preClose", async () => closing.abort());
}

export type ScanStep<Row> = {
  items: Row[];
  /** Where a later scan goes on, as the wire has it; null when everything has been looked at. */
  cursor: string | null;
  /** The time or the business key that the search has got to, whichever the list goes by; null when everything has been looked at. */
  searchedTo: string | null;
};

/**
 * Runs each step in a transaction of its own, so that none is long, and all of it as of one moment: a row written between two statements would push
 * another one out of what is looked at, unseen.
 */
type Run = <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>;

/** Looks through a list whose filter no index answers, step by step; `limit` tells how many rows the next step may give. */
export type Scan<Row> = (run: Run, limit: () => number) => AsyncIterable<ScanStep<Row>>;

export type ScanPlace = { cursor: string | undefined; size: number; limit: number };

/** A scan of steps that look at about `size` rows each, as many as a quarter of a second allows. */
export function scanBySteps<Row>(
  cursor: string | undefined,
  look: (client: pg.PoolClient, place: ScanPlace) => Promise<ScanStep<Row>>,
): Scan<Row> {
  return async function* (run, limit) {
    let at = cursor;
    for (let size = scanSizeMin; ;) {
      const begunAt = performance.now();
      const place = { cursor: at, size, limit: limit() };
      const step = await run((client) => look(client, place));
      yield step;
      if (step.cursor === null) return;
      at = step.cursor;
      size = nextScanSize(size, performance.now() - begunAt);
    }
  };
}

/**
 * Answers with lines of JSON while a scan runs: rows as they are found, and how far it has looked. When the caller hangs up or the
 * process closes, the statement under way is cancelled.
 */
export function addScanRoute<Params extends z.ZodType, Query extends z.ZodType<object>>(
  app: FastifyInstance,
  { pools }: Pick<Deps, "pools">,
  route: RouteDefinition<Params, Query, z.ZodUndefined, z.ZodString>,
  prepare: (context: RouteContext<z.output<Params>, z.output<Query>, unknown>) => Promise<Scan<unknown>>,
): void {
  addRoute(app, route, async (context) => {
    const scan = await prepare(context);
    const { tenant, query, reply } = context;
    const free = app.scans.take(tenant.tenantId, context.principal);
    try {
      const limit = "limit" in query && typeof query.limit === "number" ? query.limit : Infinity;
      await streamAnswer(reply, {
        headers: { "content-type": "application/x-ndjson; charset=utf-8" },
        closing: app.scans.closing,
        right: null,
        read: (stop) => readLines(scan, runIn(pools.readOnly, tenant.tenantId, stop), limit),
      });
    } finally {
      free();
    }
    return "";
  });
}

async function* readLines(scan: Scan<unknown>, run: Run, limit: number): AsyncGenerator<string> {
  const endAt = performance.now() + scanMsMax;
  let left = limit;
  for await (const { items, cursor, searchedTo } of scan(run, () => left)) {
    left -= items.length;
    const isEnd = cursor === null || left <= 0 || performance.now() >= endAt;
    yield `${JSON.stringify({ items, searchedTo, nextCursor: cursor, isEnd })}\n`;
    if (isEnd) return;
  }
}

const walkedAtOnce = 1000;

/** Everything that a slow filter matches, for exports. */
export async function* walkScan<Row>(
  pool: pg.Pool,
  tenantId: number,
  prepare: () => Promise<Scan<Row>>,
  signal: AbortSignal,
): AsyncGenerator<Row[]> {
  const scan = await prepare();
  for await (const { items } of scan(runIn(pool, tenantId, signal), () => walkedAtOnce)) yield items;
}

function runIn(pool: pg.Pool, tenantId: number, signal: AbortSignal): Run {
  return (work) =>
    inTenantUntil(signal, pool, tenantId, async (client) => {
      await client.query("set transaction isolation level repeatable read, read only");
      return work(client);
    });
}
