import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type Invitation, type User } from "@crossdock/contract";
import { personOf } from "../access.ts";
import { pageAfter, readCursor } from "../cursors.ts";
import { change, installation, type Trail } from "../change.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors.ts";
import { because } from "../faults.ts";
import { createOnce } from "../idempotency.ts";
import { addListRoute } from "../list-route.ts";
import type { Mail } from "../mail.ts";
import { addRoute } from "../route.ts";
import { acceptInvitation, changeUser, createUser, invitationDays, invite, removeInvited } from "./changes.ts";
import type { Passwords } from "./passwords.ts";
import { UserPlace, endSessions, listSessions, listUsers, readUser } from "./rows.ts";

// A link's secret can't be guessed; what a guess costs is the server's hashing of the password sent with it.
const acceptLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };

/** Where the admin who invites has the console open, for an installation that was not told its own address. */
function consoleOf({ headers, protocol, host }: FastifyRequest): string {
  return headers.origin !== undefined && /^https?:\/\/[^\s/]+$/.test(headers.origin) ? headers.origin : `${protocol}://${host}`;
}

/** All that is remembered of an invitation's answer: the link is kept nowhere. */
const keepOnly = ({ user }: Invitation): string =>
  `${user.email} was invited then and the link shown, once. Invite again for another link.`;

/** What an audit event tells of a person: what admins decide. */
const accountOf = ({ email, name, role, state, tenants }: User) => ({ email, name, role, state, tenants });

/** People belong to the installation, so they stand outside the tenants; their grants are changed by functions of the database. */
export function registerUsers(app: FastifyInstance, deps: Deps, { hashPassword }: Passwords, mail: Mail): void {
  const { config, pools } = deps;
  const inviteUser = async (client: pg.PoolClient, request: FastifyRequest, trail: Trail, userId: number): Promise<Invitation> => {
    const { token, expiresAt, locale } = await invite(client, userId);
    const user = await readUser(client, userId);
    trail.target = { kind: "users", id: String(userId) };
    trail.after = accountOf(user);
    // Behind #, which browsers send to no server: the secret is in no log.
    const path = `/invitation#${token}`;
    const values = { link: `${(config.publicUrl ?? consoleOf(request)).replace(/\/+$/, "")}${path}`, days: String(invitationDays) };
    await mail.write(client, { recipient: user.email, locale: locale ?? "en", kind: "invitation", values });
    return { user, link: `${config.publicUrl ?? ""}${path}`, expiresAt, isMailed: config.smtpUrl !== null };
  };

  addListRoute(app, deps, { list: routes.listUsers, exported: routes.exportUsers }, async ({ query: { cursor, limit, ...filter } }) => {
    const rows = await listUsers(pools.readOnly, filter, readCursor(UserPlace, cursor), limit + 1);
    return pageAfter(rows, limit, ({ email }) => email);
  });

  addRoute(app, routes.inviteUser, async (context) => {
    const { request, reply, body } = context;
    void reply.header("cache-control", "no-store");
    const create = async (client: pg.PoolClient, trail: Trail) => inviteUser(client, request, trail, await createUser(client, body));
    const answer = await createOnce(pools.app, installation, context, create, { keepOnly });
    mail.wake();
    return answer;
  });

  addRoute(app, routes.inviteUserAgain, async ({ params, request, reply }) => {
    void reply.header("cache-control", "no-store");
    const answer = await change(pools.app, request, async (client, trail) => {
      const { state } = await readUser(client, params.userId);
      if (state !== "invited") throw new ApiError("conflict", because("person-not-invited"));
      return inviteUser(client, request, trail, params.userId);
    });
    mail.wake();
    return answer;
  });

  addRoute(app, routes.revokeInvitation, ({ params, request }) =>
    change(pools.app, request, async (client, trail) => {
      trail.before = accountOf(await removeInvited(client, params.userId));
      return undefined;
    }),
  );

  addRoute(app, routes.updateUser, ({ principal, params, body, request }) =>
    change(pools.app, request, async (client, trail) => {
      const { before, after } = await changeUser(client, personOf(principal).userId, params.userId, body);
      trail.before = accountOf(before);
      trail.after = accountOf(after);
      return after;
    }),
  );

  addRoute(app, routes.listUserSessions, async ({ principal, params }) => ({
    items: await listSessions(pools.readOnly, params.userId, personOf(principal).sessionId),
  }));

  addRoute(app, routes.revokeUserSession, ({ params, request }) =>
    change(pools.app, request, async (client) => {
      if ((await endSessions(client, params.userId, { only: params.sessionId })) === 0) throw notFound();
      return undefined;
    }),
  );

  addRoute(app, routes.revokeUserSessions, ({ principal, params, request }) =>
    change(pools.app, request, async (client) => {
      await readUser(client, params.userId);
      // Whoever ends his own keeps the one that he does it from.
      const { userId, sessionId } = personOf(principal);
      await endSessions(client, params.userId, userId === params.userId ? { except: sessionId } : {});
      return undefined;
    }),
  );

  addRoute(
    app,
    routes.acceptInvitation,
    async ({ body: { token, name, password }, request }) => {
      const passwordHash = await hashPassword(password);
      return change(pools.app, request, async (client, trail) => {
        const { userId, email } = await acceptInvitation(client, token, name, passwordHash);
        trail.target = { kind: "users", id: String(userId) };
        return { email };
      });
    },
    acceptLimit,
  );
}
