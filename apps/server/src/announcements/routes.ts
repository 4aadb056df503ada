import type { FastifyInstance } from "fastify";
import { routes, type Announcement } from "@crossdock/contract";
import { change, installation } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { faultBecause } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import { addRoute } from "../api/route.ts";

const columns = `
  id, text, translations, link, is_dismissible as "isDismissible", queue.iso(starts_at) as "startsAt", queue.iso(ends_at) as "endsAt"`;

const listSql = `
  select ${columns} from hub.announcement
  where coalesce(ends_at, 'infinity') > now() and starts_at <= now()
  order by starts_at desc, id desc limit 20`;

const scheduledSql = `
  select ${columns} from hub.announcement
  where coalesce(ends_at, 'infinity') > now() and starts_at > now()
  order by starts_at, id limit 100`;

/** Nothing of one that would be over at its start, or by now. */
const createSql = `
  insert into hub.announcement (text, translations, link, is_dismissible, starts_at, ends_at, created_by)
  select $1, $2, $3, $4, coalesce($5, now()), $6, $7
  where coalesce($6::timestamptz, 'infinity') > greatest($5::timestamptz, now()) returning ${columns}`;

const lockSql = `select ${columns} from hub.announcement where id = $1 and coalesce(ends_at, 'infinity') > now() for update`;
// One that has not started yet never shows.
const endSql = "update hub.announcement set ends_at = now(), starts_at = least(starts_at, now()) where id = $1";

/** Announcements belong to the installation, so they stand outside the tenants and their row-level security. */
export function registerAnnouncements(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listAnnouncements, async () => ({ items: (await pools.readOnly.query<Announcement>(listSql)).rows }));

  addRoute(app, routes.listScheduledAnnouncements, async () => ({
    items: (await pools.readOnly.query<Announcement>(scheduledSql)).rows,
  }));

  addRoute(app, routes.createAnnouncement, (context) => {
    const { body, principal } = context;
    const { text, translations, link, isDismissible, startsAt, endsAt } = body;
    const createdBy = principal.kind === "user" ? principal.userId : null;
    const values = [text, JSON.stringify(translations), link, isDismissible, startsAt ?? null, endsAt, createdBy];
    return createOnce(pools.app, installation, context, async (client) => {
      const { rows } = await client.query<Announcement>(createSql, values);
      if (!rows[0]) throw new ApiError("validation-failed", { errors: [faultBecause("body/endsAt", "after-start")] });
      return rows[0];
    });
  });

  addRoute(app, routes.endAnnouncement, ({ params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const [announcement] = (await client.query<Announcement>(lockSql, [params.announcementId])).rows;
      if (!announcement) throw notFound();
      trail.before = announcement;
      await client.query(endSql, [params.announcementId]);
      return undefined;
    }),
  );
}
