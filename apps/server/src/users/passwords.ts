/** How the sign-in keeps and checks passwords. The application hands it over, as features don't know each other. */
export type Passwords = {
  hashPassword: (password: string) => Promise<string>;
  verifyPassword: (passwordHash: string | null, password: string) => Promise<boolean>;
};
