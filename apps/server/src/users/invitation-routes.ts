import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { routes, type Invitation } from "@crossdock/contract";
import { change, installation, type Trail } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { because } from "../errors/faults.ts";
import { createOnce } from "../api/idempotency.ts";
import type { Mail } from "../mails/mail.ts";
import { addRoute } from "../api/route.ts";
import { acceptInvitation, createUser, invitationDays, invite, lockUser, readInvitation, removeInvited } from "./changes.ts";
import type { Passwords } from "./passwords.ts";
import { accountOf, readUser } from "./rows.ts";

// A link's secret can't be guessed; what a guess costs is the server's hashing of the password sent with it.
const acceptLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };

/** Where the admin who invites has the console open, for an installation that was not told its own address. */
function consoleOf({ headers, protocol, host }: FastifyRequest): string {
  return headers.origin !== undefined && /^https?:\/\/[^\s/]+$/.test(headers.origin) ? headers.origin : `${protocol}://${host}`;
}

/** All that is remembered of an invitation's answer: the link is kept nowhere. */
const keepOnly = ({ user: { email } }: Invitation) => because("invitation-shown-then", { email });

/** The link by which somebody becomes a person of the installation: made, made anew, taken back, followed. */
export function registerInvitations(app: FastifyInstance, { config, pools }: Deps, { hashPassword }: Passwords, mail: Mail): void {
  const inviteUser = async (client: pg.PoolClient, request: FastifyRequest, trail: Trail, userId: number): Promise<Invitation> => {
    const { token, expiresAt, locale } = await invite(client, userId);
    const user = await readUser(client, userId);
    trail.target = { kind: "users", id: String(userId) };
    trail.after = accountOf(user);
    // Behind #, which browsers send to no server: the secret is in no log.
    const path = `/invitation#${token}`;
    const values = { link: `${config.publicUrl ?? consoleOf(request)}${path}`, days: String(invitationDays) };
    await mail.write(client, { recipient: user.email, locale: locale ?? "en", kind: "invitation", values });
    return { user, link: `${config.publicUrl ?? ""}${path}`, expiresAt, isMailed: config.smtpUrl !== null };
  };

  addRoute(app, routes.inviteUser, async (context) => {
    const { request, body } = context;
    const create = async (client: pg.PoolClient, trail: Trail) => inviteUser(client, request, trail, await createUser(client, body));
    const answer = await createOnce(pools.app, installation, context, create, { keepOnly });
    mail.wake();
    return answer;
  });

  addRoute(app, routes.inviteUserAgain, async ({ params, request }) => {
    const answer = await change(pools.app, request, async (client, trail) => {
      const { state } = await lockUser(client, params.userId);
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

  addRoute(
    app,
    routes.readInvitation,
    ({ body: { token } }) => {
      return readInvitation(pools.app, token);
    },
    acceptLimit,
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
