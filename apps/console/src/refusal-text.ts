import { ApiError } from "./api.ts";
import type { TextKey } from "./i18n/i18n.tsx";

/** What the server's refusals are called in changes of people and keys. */
const texts: Record<string, TextKey> = {
  "own-account": "refusal.ownAccount",
  "last-admin": "refusal.lastAdmin",
  "already-exists": "refusal.emailKnown",
  "password-wrong": "refusal.passwordWrong",
  "password-common": "validation.passwordCommon",
  "picture-invalid": "refusal.picture",
  "too-many-requests": "signIn.tooMany",
  "not-found": "refusal.gone",
};

export function refusalText(error: Error): TextKey {
  return (error instanceof ApiError && texts[error.problem.code]) || "error.generic";
}
