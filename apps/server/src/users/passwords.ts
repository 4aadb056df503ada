import type { FastifyRequest } from "fastify";

/** How the sign-in keeps and checks passwords. The application hands it over, as features don't know each other. */
export type Passwords = {
  hashPassword: (password: string) => Promise<string>;
  checkPassword: (
    credentials: { email: string; password: string },
    request: FastifyRequest,
  ) => Promise<{ user: { passwordHash: string | null } | null; isRight: boolean }>;
};
