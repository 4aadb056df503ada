import type { FastifyInstance } from "fastify";
import { routes, type ComingSoonAddress } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../cursors.ts";
import { change } from "../change.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors.ts";
import { addRoute } from "../route.ts";

const notifyLimit = { config: { rateLimit: { max: 5, timeWindow: "1 minute" } } };

const createSql = `insert into hub.coming_soon_address (email, locale) values (lower($1), $2) on conflict do nothing`;

const listSql = `
  select id, email, locale, to_json(created_at)#>>'{}' as "createdAt"
  from hub.coming_soon_address
  where $1::integer is null or id < $1
  order by id desc
  limit $2`;

/** Of an export: so many are read at a time. */
const exportPageSize = 5_000;

const Cursor = z.object({ id: z.int() });

export function registerComingSoon(app: FastifyInstance, { pools }: Deps): void {
  const listBelow = async (id: number | null, limit: number): Promise<ComingSoonAddress[]> =>
    (await pools.readOnly.query<ComingSoonAddress>(listSql, [id, limit])).rows;

  addRoute(
    app,
    routes.notifyMe,
    ({ body, request }) =>
      change(pools.app, request, async (client, trail) => {
        await client.query(createSql, [body.email, body.locale]);
        trail.after = body;
        return undefined;
      }),
    notifyLimit,
  );

  addRoute(app, routes.listComingSoonAddresses, async ({ query }) => {
    const rows = await listBelow(readCursor(Cursor, query.cursor)?.id ?? null, query.limit + 1);
    return pageAfter(rows, query.limit, (last) => ({ id: last.id }));
  });

  addRoute(app, routes.exportComingSoonAddresses, async ({ reply }) => {
    const lines = ["email,locale,createdAt"];
    let last: number | undefined;
    do {
      const page = await listBelow(last ?? null, exportPageSize);
      for (const { email, locale, createdAt } of page) lines.push([email, locale ?? "", createdAt].map(cell).join(","));
      last = page.at(-1)?.id;
    } while (last !== undefined);
    void reply.type("text/csv; charset=utf-8").header("content-disposition", 'attachment; filename="coming-soon-addresses.csv"');
    // The schema's serializer would make a JSON string of it.
    reply.serializer(String);
    return `${lines.join("\r\n")}\r\n`;
  });

  addRoute(app, routes.removeComingSoonAddress, ({ params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const removed = await client.query("delete from hub.coming_soon_address where id = $1 returning email, locale", [params.addressId]);
      if (removed.rowCount === 0) throw notFound();
      trail.before = removed.rows[0];
      return undefined;
    }),
  );
}

/** A text that starts so is run as a formula by spreadsheets (https://owasp.org/www-community/attacks/CSV_Injection). */
const formulaStart = /^[=+\-@\t\r\n＝＋－＠]/;

/** RFC 4180: quoted where it holds what separates. A formula gets an apostrophe in front, which makes it a text. */
function cell(text: string): string {
  const safe = formulaStart.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
