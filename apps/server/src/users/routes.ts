import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { personOf } from "../access/access.ts";
import { pageAfter, readCursor } from "../api/cursors.ts";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { notFound } from "../errors/errors.ts";
import { addListRoute } from "../api/list-route.ts";
import type { Mail } from "../mails/mail.ts";
import { addRoute } from "../api/route.ts";
import { endSessions } from "../session/sessions.ts";
import { checkVersion, tagVersion } from "../api/versions.ts";
import { changeUser, lockUser } from "./changes.ts";
import { registerInvitations } from "./invitation-routes.ts";
import type { Passwords } from "./passwords.ts";
import { UserPlace, accountOf, listSessions, listUsers, readUser } from "./rows.ts";

/** People belong to the installation, so they stand outside the tenants; their grants are changed by functions of the database. */
export function registerUsers(app: FastifyInstance, deps: Deps, passwords: Passwords, mail: Mail): void {
  const { pools } = deps;
  registerInvitations(app, deps, passwords, mail);

  addListRoute(app, deps, { list: routes.listUsers, exported: routes.exportUsers }, async ({ query: { cursor, limit, ...filter } }) => {
    const rows = await listUsers(pools.readOnly, filter, readCursor(UserPlace, cursor), limit + 1);
    return pageAfter(rows, limit, ({ email }) => email);
  });

  addRoute(app, routes.getUser, async ({ params, reply }) => tagVersion(reply, await readUser(pools.readOnly, params.userId)));

  addRoute(app, routes.updateUser, ({ principal, params, body, request, reply }) =>
    change(pools.app, request, async (client, trail) => {
      const before = await lockUser(client, params.userId);
      checkVersion(request, before);
      trail.before = accountOf(before);
      const after = await changeUser(client, personOf(principal).userId, before, body);
      trail.after = accountOf(after);
      return tagVersion(reply, after);
    }),
  );

  addRoute(app, routes.listUserSessions, async ({ principal, params }) => ({
    items: await listSessions(pools.readOnly, params.userId, personOf(principal).sessionId),
  }));

  addRoute(app, routes.revokeUserSession, ({ params, request }) =>
    change(pools.app, request, async (client, trail) => {
      const { userId, sessionId } = params;
      trail.target = { kind: "users", id: String(userId) };
      trail.before = { ...accountOf(await readUser(client, userId)), sessionId };
      if ((await endSessions(client, userId, { only: sessionId })) === 0) throw notFound();
      return undefined;
    }),
  );

  addRoute(app, routes.revokeUserSessions, ({ principal, params, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = accountOf(await readUser(client, params.userId));
      // Those who end their own sessions keep the one they do it from.
      const { userId, sessionId } = personOf(principal);
      await endSessions(client, params.userId, userId === params.userId ? { except: sessionId } : {});
      return undefined;
    }),
  );
}
