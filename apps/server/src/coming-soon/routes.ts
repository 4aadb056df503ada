import type { FastifyInstance } from "fastify";
import { routes, type ComingSoonAddress } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { addListRoute } from "../api/list-route.ts";
import { addRoute } from "../api/route.ts";

const notifyLimit = { config: { rateLimit: { max: 5, timeWindow: "1 minute" } } };

const createSql = `insert into hub.coming_soon_address (email, locale) values (lower($1), $2) on conflict do nothing`;

const listSql = `
  select id, email, locale, queue.iso(created_at) as "createdAt"
  from hub.coming_soon_address
  where $1::integer is null or id < $1
  order by id desc
  limit $2`;

const Cursor = z.object({ id: z.int() });

export function registerComingSoon(app: FastifyInstance, deps: Deps): void {
  const { pools } = deps;

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

  addListRoute(app, deps, { list: routes.listComingSoonAddresses, exported: routes.exportComingSoonAddresses }, async ({ query }) => {
    const place = [readCursor(Cursor, query.cursor)?.id ?? null, query.limit + 1];
    const { rows } = await pools.readOnly.query<ComingSoonAddress>(listSql, place);
    return pageAfter(rows, query.limit, (last) => ({ id: last.id }));
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
