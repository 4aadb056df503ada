import type { FastifyInstance } from "fastify";
import { routes, type Mail } from "@crossdock/contract";
import { z } from "zod";
import { pageAfter, readCursor } from "../api/cursors.ts";
import type { Deps } from "../deps.ts";
import { openMail } from "./mail.ts";
import { addListRoute } from "../api/list-route.ts";

const listSql = `
  select id, recipient, kind, locale, subject, sealed, queue.iso(created_at) as "createdAt", queue.iso(sent_at) as "sentAt", failure
  from hub.mail
  where $1::integer is null or id < $1
  order by id desc
  limit $2`;

type MailRow = Omit<Mail, "text"> & { sealed: Buffer | null };

const Cursor = z.object({ id: z.int() });

export function registerMails(app: FastifyInstance, deps: Deps): void {
  const { config, pools, keys } = deps;
  const isServerSet = config.smtpUrl !== null;

  // With a mail server the codes are between it and the recipients.
  const toMail = ({ sealed, ...row }: MailRow): Mail => {
    if (isServerSet || sealed === null) return { ...row, text: null };
    try {
      return { ...row, ...openMail(keys.mail, row.recipient, sealed) };
    } catch {
      // Sealed with a secret of before.
      return { ...row, text: null };
    }
  };

  addListRoute(app, deps, { list: routes.listMails, exported: routes.exportMails }, async ({ query }) => {
    const { rows } = await pools.readOnly.query<MailRow>(listSql, [readCursor(Cursor, query.cursor)?.id ?? null, query.limit + 1]);
    const page = pageAfter(rows, query.limit, (last) => ({ id: last.id }));
    return { items: page.items.map(toMail), nextCursor: page.nextCursor, isServerSet };
  });
}
