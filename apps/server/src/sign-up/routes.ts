import type { FastifyInstance, FastifyRequest } from "fastify";
import { routes } from "@crossdock/contract";
import type pg from "pg";
import { writeAuditEvent } from "../api/audit-event.ts";
import { installation } from "../api/change.ts";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import type { Mail } from "../mails/mail.ts";
import { networkOf } from "../http/network.ts";
import { addRoute } from "../api/route.ts";
import { createGuesses, type Guesses } from "../session/guesses.ts";
import { checkNewPassword, hashNewPassword } from "../session/new-password.ts";
import { hashPassword } from "../session/passwords.ts";
import { endSessions } from "../session/sessions.ts";
import { ask, codeMinutes, redeem } from "./email-codes.ts";

/** Of one address of the network; what one email is sent is bounded by itself. */
const askLimit = { config: { rateLimit: { max: 10, timeWindow: "1 minute" } } };
const codeLimit = { config: { rateLimit: { max: 30, timeWindow: "1 minute" } } };

const minutes = String(codeMinutes);

/**
 * How people get an account and a new password by themselves. Nobody learns from an answer, or from the time that it takes, whether an
 * address has an account: the same work is done for both, and what there is to tell is mailed.
 */
export function registerSignUp(app: FastifyInstance, deps: Deps, mail: Mail): void {
  const guesses = createGuesses(deps.pools.app, deps.keys.guesses);
  registerNewAccounts(app, deps, mail, guesses);
  registerPasswordResets(app, deps, mail, guesses);
}

/** A transaction in which mails are written, which go out at once. */
async function mailing<Answer>({ pools }: Deps, mail: Mail, work: (client: pg.PoolClient) => Promise<Answer>): Promise<Answer> {
  const answer = await inTenant(pools.app, installation, work);
  mail.wake();
  return answer;
}

function registerNewAccounts(app: FastifyInstance, deps: Deps, mail: Mail, guesses: Guesses): void {
  const { config, pools, keys } = deps;
  addRoute(
    app,
    routes.signUp,
    async ({ body: { name, email, password, locale }, request }) => {
      if (!config.isSignUpOpen) throw new ApiError("sign-up-closed");
      const passwordHash = await hashNewPassword(password, [name, email]);
      const origin = await guesses.originOf({ email, network: networkOf(request.ip) });
      return mailing(deps, mail, async (client) => {
        const known = await findPerson(client, email);
        if (known && config.tellsRegistered) throw new ApiError("already-registered");
        const asking = { purpose: "sign-up", email, origin, account: { name, passwordHash, locale }, isReal: !known } as const;
        const { attemptId, code, isMailDue, isRepeated } = await ask(client, keys.codes, asking);
        const kind = known ? "already-registered" : isRepeated ? "sign-up-again" : "sign-up";
        if (isMailDue) await mail.write(client, { recipient: email, locale: known?.locale ?? locale, kind, values: { code, minutes } });
        return { attemptId, outcome: isRepeated && config.tellsRegistered ? "started" : "sent" };
      });
    },
    askLimit,
  );

  addRoute(
    app,
    routes.confirmSignUp,
    async ({ body, request }) => {
      // Codes may have been given out before it was closed.
      if (!config.isSignUpOpen) throw new ApiError("sign-up-closed");
      const { email, name, passwordHash, locale } = await redeem(pools.app, keys.codes, "sign-up", body.attemptId, body.code);
      await inTenant(pools.app, installation, async (client) => {
        const { rows } = await client.query<{ id: number }>(createSql, [email, name, passwordHash, locale]);
        // Somebody confirmed another sign-up with this address meanwhile.
        if (!rows[0]) throw new ApiError("code-expired");
        await tell(client, request, rows[0].id, { email, name, role: "viewer", tenants: [] });
      });
      return undefined;
    },
    codeLimit,
  );
}

function registerPasswordResets(app: FastifyInstance, deps: Deps, mail: Mail, guesses: Guesses): void {
  const { pools, keys } = deps;

  addRoute(
    app,
    routes.requestPasswordReset,
    async ({ body: { email, locale }, request }) => {
      const origin = await guesses.originOf({ email, network: networkOf(request.ip) });
      return mailing(deps, mail, async (client) => {
        const person = await findPerson(client, email);
        const isReal = person?.hasPassword ?? false;
        const asking = { purpose: "password-reset", email, origin, account: null, isReal } as const;
        const { attemptId, code, isMailDue } = await ask(client, keys.codes, asking);
        const kind = isReal ? "password-reset" : "no-account";
        if (isMailDue) await mail.write(client, { recipient: email, locale: person?.locale ?? locale, kind, values: { code, minutes } });
        return { attemptId };
      });
    },
    askLimit,
  );

  addRoute(
    app,
    routes.resetPassword,
    async ({ body, request }) => {
      // Before the code is used up.
      checkNewPassword(body.password);
      const { email } = await redeem(pools.app, keys.codes, "password-reset", body.attemptId, body.code);
      const passwordHash = await hashPassword(body.password);
      const userId = await mailing(deps, mail, async (client) => {
        const { rows } = await client.query<{ id: number; locale: string | null }>(resetSql, [email, passwordHash]);
        const [person] = rows;
        if (!person) throw new ApiError("code-expired");
        await endSessions(client, person.id);
        await mail.write(client, { recipient: email, locale: person.locale ?? "en", kind: "password-changed" });
        await tell(client, request, person.id, { email });
        return person.id;
      });
      // Whoever reads the address's mail is no guesser, and signs in from here next.
      await guesses.forgive({ email, network: networkOf(request.ip) }, userId);
      return undefined;
    },
    codeLimit,
  );
}

type Person = { locale: string | null; hasPassword: boolean };

/** A person's row, whether they may sign in or not: the address is taken in any case. */
async function findPerson(client: pg.ClientBase, email: string): Promise<Person | undefined> {
  const sql = `select locale, is_active and password_hash is not null as "hasPassword" from hub."user" where email = $1`;
  return (await client.query<Person>(sql, [email])).rows[0];
}

const createSql = `
  insert into hub."user" (email, name, role, password_hash, locale) values ($1, $2, 'viewer', $3, $4)
  on conflict (email) do nothing returning id`;

const resetSql = `
  update hub."user" set password_hash = $2 where email = $1 and is_active and password_hash is not null returning id, locale`;

/** The audit event of what nobody who is signed in did. */
function tell(client: pg.ClientBase, request: FastifyRequest, userId: number, after: unknown): Promise<void> {
  const target = { kind: "users", id: String(userId) };
  return writeAuditEvent(client, request, { tenantId: null, outcome: "done", code: null, target, reason: null, before: null, after });
}
