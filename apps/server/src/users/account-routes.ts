import type { FastifyInstance, FastifyRequest } from "fastify";
import type pg from "pg";
import { CurrentUser, routes } from "@crossdock/contract";
import { personOf, type Principal } from "../access/access.ts";
import { change } from "../api/change.ts";
import type { Deps } from "../deps.ts";
import { ApiError, notFound } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { endSessions } from "../session/sessions.ts";
import type { Passwords } from "./passwords.ts";
import { rewritePng } from "./png.ts";
import { listSessions } from "./rows.ts";

/** A guess at the present password costs as much as one at the sign-in. */
const passwordLimit = { config: { rateLimit: { max: 20, timeWindow: "1 minute" } } };

const ownColumns = `id::text as _id, name, email, avatar, array[role] as role, locale`;

type Caller = { principal: Principal; request: FastifyRequest };

/** Of the picture an audit event tells only whether there is one. */
const withoutPicture = ({ avatar, ...rest }: CurrentUser) => ({ ...rest, hasAvatar: avatar !== null });

/** What people change of themselves. Every other right over people is an admin's. */
export function registerAccount(app: FastifyInstance, { pools }: Deps, { hashPassword, checkPassword }: Passwords): void {
  /** Changes one's own row and answers it. */
  const update = ({ principal, request }: Caller, assignments: string, values: unknown[]): Promise<CurrentUser> => {
    const { userId } = personOf(principal);
    return change(pools.app, request, async (client, trail) => {
      const before = await client.query(`select ${ownColumns} from hub."user" where id = $1 for no key update`, [userId]);
      const after = await client.query(`update hub."user" set ${assignments} where id = $1 returning ${ownColumns}`, [userId, ...values]);
      const user = CurrentUser.parse(after.rows[0]);
      trail.before = withoutPicture(CurrentUser.parse(before.rows[0]));
      trail.after = withoutPicture(user);
      return user;
    });
  };

  addRoute(app, routes.updateAccount, (context) => {
    const { name = null, locale = null } = context.body;
    return update(context, "name = coalesce($2, name), locale = coalesce($3, locale)", [name, locale]);
  });

  addRoute(app, routes.setAvatar, (context) => {
    const picture = rewritePng(Buffer.from(context.body.png, "base64"));
    if (!picture) throw new ApiError("picture-invalid");
    return update(context, "avatar = $2", [`data:image/png;base64,${picture.toString("base64")}`]);
  });

  addRoute(app, routes.removeAvatar, (context) => update(context, "avatar = null", []));

  addRoute(
    app,
    routes.changePassword,
    async ({ principal, body, request }) => {
      const { userId, sessionId } = personOf(principal);
      const { user, isRight } = await checkPassword({ email: await emailOf(pools.app, userId), password: body.present }, request);
      if (!isRight) throw new ApiError("password-wrong");
      const nextHash = await hashPassword(body.next);
      await change(pools.app, request, async (client) => {
        // Only over the password that was checked: of two changes at once one is refused.
        const sql = `update hub."user" set password_hash = $3 where id = $1 and password_hash = $2`;
        if ((await client.query(sql, [userId, user?.passwordHash, nextHash])).rowCount === 0) throw new ApiError("password-wrong");
        await endSessions(client, userId, { except: sessionId });
      });
      return undefined;
    },
    passwordLimit,
  );

  addRoute(app, routes.listSessions, async ({ principal }) => {
    const { userId, sessionId } = personOf(principal);
    return { items: await listSessions(pools.readOnly, userId, sessionId) };
  });

  addRoute(app, routes.revokeOtherSessions, ({ principal, request }) =>
    change(pools.app, request, async (client) => {
      const { userId, sessionId } = personOf(principal);
      await endSessions(client, userId, { except: sessionId });
      return undefined;
    }),
  );

  addRoute(app, routes.revokeOwnSession, ({ principal, params, request }) =>
    change(pools.app, request, async (client) => {
      if ((await endSessions(client, personOf(principal).userId, { only: params.sessionId })) === 0) throw notFound();
      return undefined;
    }),
  );
}

async function emailOf(pool: pg.Pool, userId: number): Promise<string> {
  return (await pool.query<{ email: string }>(`select email from hub."user" where id = $1`, [userId])).rows[0]?.email ?? "";
}
