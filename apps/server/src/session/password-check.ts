import type { FastifyRequest } from "fastify";
import type { Deps } from "../deps.ts";
import { networkOf } from "../http/network.ts";
import { createGuesses } from "./guesses.ts";
import { verifyPassword } from "./passwords.ts";
import { findUserByEmail, type KnownUser } from "./users.ts";

export type Credentials = { email: string; password: string };

/** Whose address it is, and whether the password is theirs and they may sign in. Throws too-many-requests where too many were wrong before. */
export type PasswordCheck = (credentials: Credentials, request: FastifyRequest) => Promise<{ user: KnownUser | null; isRight: boolean }>;

/** The one way to find out about a password: whoever guesses has to wait longer and longer, at the sign-in and with somebody's open session. */
export function createPasswordCheck({ pools, keys }: Deps): PasswordCheck {
  const guesses = createGuesses(pools.app, keys.guesses);
  return async ({ email, password }, request) => {
    const guesser = { email, network: networkOf(request.ip) };
    await guesses.count(guesser);
    const user = await findUserByEmail(pools.app, email);
    const isRight = await verifyPassword(user?.isActive === true ? user.passwordHash : null, password);
    if (user && isRight) await guesses.forgive(guesser, user.userId);
    return { user, isRight };
  };
}
