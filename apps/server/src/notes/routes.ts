import type { FastifyInstance } from "fastify";
import type pg from "pg";
import { routes } from "@crossdock/contract";
import { z } from "zod";
import type { Principal } from "../access/access.ts";
import { actorName } from "../access/actor.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { change } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { createOnce } from "../api/idempotency.ts";
import { findMessage } from "../messages/rows.ts";
import { addRoute } from "../api/route.ts";
import { insertNote, listNewest, listOfMessage, markRead, readerOf, readUnread, setRemoved } from "./rows.ts";

const Cursor = z.object({ id: z.int() });

export function registerNotes(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.listNotes, ({ tenant: { tenantId }, principal, query }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      const reader = readerOf(principal);
      // Counted first: a note that comes in between must not be counted without being listed, as nobody could read it then.
      const unread = reader.userId === null ? { readUpTo: 0, unreadCount: 0 } : await readUnread(client, tenantId, reader.userId);
      const rows = await listNewest(client, tenantId, reader, readCursor(Cursor, query.cursor)?.id ?? null, query.limit + 1);
      return { ...pageAfter(rows, query.limit, ({ id }) => ({ id })), ...unread };
    }),
  );

  addRoute(app, routes.markNotesRead, ({ tenant: { tenantId }, principal, body }) => {
    if (principal.kind === "api-key") throw new ApiError("permission-missing", { detail: "An API key is no user" });
    return inTenant(pools.app, tenantId, async (client) => {
      await markRead(client, tenantId, principal.userId, body.upTo);
      return undefined;
    });
  });

  addRoute(app, routes.listMessageNotes, ({ tenant: { tenantId }, principal, params }) =>
    inTenant(pools.readOnly, tenantId, async (client) => {
      await findMessage(client, tenantId, params.messageId);
      return { items: await listOfMessage(client, tenantId, readerOf(principal), params.messageId) };
    }),
  );

  addRoute(app, routes.createNote, (context) => {
    const { tenantId } = context.tenant;
    const { principal, params, body } = context;
    return createOnce(pools.app, tenantId, context, async (client) => {
      const { messageId, key, queueName } = await findMessage(client, tenantId, params.messageId);
      const authorName = await signature(client, tenantId, principal, body.authorName);
      return insertNote(client, tenantId, readerOf(principal), { messageId, messageKey: key, queueName, authorName, text: body.text });
    });
  });

  addRoute(app, routes.removeNote, ({ tenant: { tenantId }, principal, params, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = await setRemoved(client, tenantId, readerOf(principal), params.noteId, true);
      return undefined;
    }),
  );

  addRoute(app, routes.restoreNote, ({ tenant: { tenantId }, principal, params, request }) =>
    change(pools.app, request, (client) => setRemoved(client, tenantId, readerOf(principal), params.noteId, false)),
  );
}

/** The name under a note. A program may say for whom it hands the note in, and is named beside it; a person signs with the own name. */
async function signature(client: pg.ClientBase, tenantId: number, principal: Principal, given: string | undefined): Promise<string> {
  if (given !== undefined) {
    if (principal.kind === "api-key") return given;
    throw new ApiError("bad-request", { detail: "authorName is for programs with an API key; a person signs with the own name" });
  }
  return actorName(client, tenantId, principal);
}
