import type { FastifyInstance } from "fastify";
import type pg from "pg";
import type { ExportFormat, RouteDefinition } from "@crossdock/contract";
import { z } from "zod";
import { mayCaller } from "../access/access.ts";
import { writeAuditEvent } from "./audit-event.ts";
import { installation } from "./change.ts";
import { byteOrderMark, csvLine, type CsvValue } from "./csv.ts";
import { inTenant, inTenantUntil } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { maskedBytes, readMasking } from "../masking/masking.ts";
import { addRoute, type RouteContext } from "./route.ts";
import { createSlots, type Slots } from "../http/slots.ts";
import { streamAnswer } from "../http/streaming.ts";

/** Exports that one process sends at a time: each reads pages one after the other, without holding a connection between them. */
const exportsMax = 16;
/** Rows that are read at once, and so are in memory. */
const pageSize = 1000;
/** A document has up to CROSSDOCK_BODY_LIMIT_MB, and a whole page of such would take more memory than the process has. */
const documentsAtOnce = 25;

declare module "fastify" {
  interface FastifyInstance {
    exports: Slots & { closing: AbortSignal };
  }
}

/** From here on the app's lists may be exported; exports under way end when the app closes. */
export function permitExports(app: FastifyInstance): void {
  const closing = new AbortController();
  app.decorate("exports", Object.assign(createSlots(exportsMax, 5), { closing: closing.signal }));
  app.addHook("preClose", async () => closing.abort());
}

type Page<Row> = { items: Row[]; nextCursor?: string | null };
type Reading<Params, Query> = Omit<RouteContext<Params, Query, unknown>, "body">;
type Walk<Row> = (place: { cursor: string | undefined; limit: number }) => Promise<Page<Row>>;

type Options<Params, Query, Row> = {
  /** The rows' documents by row id, as bytes where they are not text; for exports that are declared with documents. */
  documents?: (client: pg.ClientBase, tenantId: number, rows: Row[]) => Promise<Map<string, string | Buffer>>;
  /** Another way through the whole list for queries whose pages would take too long; null: page by page. */
  walk?: (context: Reading<Params, Query>, signal: AbortSignal) => AsyncIterable<Row[]> | null;
};

type Paged = { cursor?: string | undefined; limit?: number };
type Query<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape>>;

const Wish = z.looseObject({
  format: z.enum(["csv", "ndjson"]),
  byteOrderMark: z.boolean(),
  documents: z.boolean().default(false),
  reason: z.string().optional(),
});
type Wish = z.output<typeof Wish>;

/**
 * A list of the contract and its export. Both use `read`: the list for one page, the export for page after page while it is being sent.
 * `signal` aborts when nobody waits for the answer any longer.
 */
export function addListRoute<
  Params extends z.ZodType,
  Shape extends z.ZodRawShape,
  Answer extends z.ZodType,
  ExportShape extends z.ZodRawShape,
  Row extends object,
>(
  app: FastifyInstance,
  { pools, keys }: Pick<Deps, "pools" | "keys">,
  route: {
    list: RouteDefinition<Params, z.ZodObject<Shape>, z.ZodUndefined, Answer>;
    exported: RouteDefinition<Params, z.ZodObject<ExportShape>, z.ZodUndefined, z.ZodString>;
  },
  read: (context: Reading<z.output<Params>, Query<Shape>>, signal: AbortSignal) => Promise<Page<Row> & z.input<Answer>>,
  { documents, walk }: Options<z.output<Params>, Query<Shape>, Row> = {},
): void {
  const { list, exported } = route;
  const rows = rowsOf(list);
  const fields = Object.keys(rows.element.shape);

  addRoute(app, list, (context) => read(context, new AbortController().signal));

  addRoute(app, exported, async (context) => {
    const { request, reply } = context;
    const wish = Wish.parse(context.query);
    const readingWith = (place: Paged): Reading<z.output<Params>, Query<Shape>> =>
      // The export's query is the list's but for the place, which stands here.
      Object.create(context, { query: { value: { ...wish, ...place } } }) as Reading<z.output<Params>, Query<Shape>>;

    async function* readRows(signal: AbortSignal): AsyncGenerator<Record<string, unknown>[]> {
      const pages = walk?.(readingWith({}), signal) ?? walkPages((place) => read(readingWith(place), signal));
      for await (const items of pages) {
        const shown = rows.parse(items);
        if (!documents || !wish.documents) yield shown;
        else
          for (let from = 0; from < items.length; from += documentsAtOnce)
            yield await withDocuments(items.slice(from, from + documentsAtOnce), shown.slice(from, from + documentsAtOnce), signal);
      }
    }

    async function withDocuments(rows: Row[], shown: Record<string, unknown>[], signal: AbortSignal) {
      const { tenantId } = context.tenant;
      return inTenantUntil(signal, pools.readOnly, tenantId, async (client) => {
        const texts = (await documents?.(client, tenantId, rows)) ?? new Map<string, string | Buffer>();
        const { maskText } = await readMasking(client, tenantId, keys.masking);
        const show = (document: string | Buffer): string => {
          const isShown = wish.reason !== undefined;
          if (typeof document === "string") return isShown ? document : maskText(document);
          return (isShown ? document : maskedBytes).toString("base64");
        };
        return shown.map((row) => {
          const text = texts.get(String(row["id"]));
          return { ...row, document: text === undefined ? null : show(text) };
        });
      });
    }

    async function noteReveal({ tenant: { tenantId }, principal }: typeof context, reason: string): Promise<void> {
      if (!mayCaller(principal, "reveal")) throw new ApiError("permission-missing");
      const { reason: _, ...asked } = wish;
      const event = {
        tenantId,
        outcome: "done",
        code: null,
        target: { kind: nameOf(exported), id: null },
        reason,
        before: null,
        after: asked,
      } as const;
      await inTenant(pools.app, tenantId, (client) => writeAuditEvent(client, request, event));
    }

    const free = app.exports.take(request.tenantScope?.tenantId ?? installation, context.principal);
    try {
      if (wish.reason !== undefined) await noteReveal(context, wish.reason);
      const columns = documents && wish.documents ? [...fields, "document"] : fields;
      await streamAnswer(reply, {
        headers: headersOf(wish.format, [nameOf(exported), request.tenantScope?.tenantCode ?? "crossdock"]),
        closing: app.exports.closing,
        right: wish.reason === undefined ? null : "reveal",
        read: (signal) => write(readRows(signal), columns, wish),
      });
    } finally {
      free();
    }
    return "";
  });
}

/** The schema that strips the list's rows down to what was promised. */
function rowsOf({ path, responses }: RouteDefinition): z.ZodArray<z.ZodObject> {
  const [answer] = Object.values(responses);
  const items: unknown = answer instanceof z.ZodObject ? answer.shape["items"] : null;
  if (!(items instanceof z.ZodArray) || !(items.element instanceof z.ZodObject)) throw new Error(`${path} answers no rows`);
  return z.array(items.element);
}

async function* walkPages<Row>(read: Walk<Row>): AsyncGenerator<Row[]> {
  let cursor: string | undefined;
  do {
    const page = await read({ cursor, limit: pageSize });
    yield page.items;
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
}

async function* write(
  pages: AsyncIterable<Record<string, unknown>[]>,
  columns: readonly string[],
  { format, byteOrderMark: isMarked }: Wish,
): AsyncGenerator<string> {
  let head = format === "csv" ? (isMarked ? byteOrderMark : "") + csvLine(columns) : "";
  const line = (row: Record<string, unknown>): string =>
    format === "csv" ? csvLine(columns.map((name) => toCsvValue(row[name]))) : `${JSON.stringify(row)}\n`;
  for await (const rows of pages) {
    const text = head + rows.map(line).join("");
    head = "";
    if (text !== "") yield text;
  }
}

function toCsvValue(value: unknown): CsvValue {
  if (value === null || value === undefined) return null;
  if (typeof value === "string" || typeof value === "number" || typeof value === "boolean") return value;
  return JSON.stringify(value);
}

/** `dead-letters` of `/api/v1/tenants/:tenantCode/dead-letters/export`. */
const nameOf = ({ path }: { path: string }): string => path.split("/").at(-2) ?? "list";

const mediaTypes: Record<ExportFormat, string> = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson; charset=utf-8" };

function headersOf(format: ExportFormat, names: string[]): Record<string, string> {
  const at = new Date().toISOString().slice(0, 19).replaceAll(":", "");
  return { "content-type": mediaTypes[format], "content-disposition": `attachment; filename="${[...names, at].join("-")}.${format}"` };
}
