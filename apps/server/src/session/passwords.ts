import { randomBytes } from "node:crypto";
import { hash, verify } from "@node-rs/argon2";

// The library's default is argon2id; memory and passes are those of the OWASP password storage cheat sheet.
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

/** Keyboards and systems write one character in several ways; all of them are the same password (NIST SP 800-63B, 5.1.1.2). */
export const spelled = (password: string): string => password.normalize("NFKC");

export function hashPassword(password: string): Promise<string> {
  return hash(spelled(password), cost);
}

/** Made at first use: what an unknown email is checked against, so that it takes as long as a known one. */
let decoy: Promise<string> | undefined;

/** False for a wrong password and for no password; both take the same time. */
export async function verifyPassword(passwordHash: string | null, password: string): Promise<boolean> {
  decoy ??= hashPassword(randomBytes(16).toString("hex"));
  const isRight = await verify(passwordHash ?? (await decoy), spelled(password));
  return isRight && passwordHash !== null;
}
