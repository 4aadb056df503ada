/** The asking for a code that this tab waits for: the code is good for it alone. */
type Attempt = { purpose: "sign-up" | "password-reset"; attemptId: string; email: string };

const key = "crossdock.attempt";

export function rememberAttempt(attempt: Attempt): void {
  sessionStorage.setItem(key, JSON.stringify(attempt));
}

export function forgetAttempt(): void {
  sessionStorage.removeItem(key);
}

/** Null when none is known here, e.g. in another tab than the one that asked. */
export function attemptFor(purpose: Attempt["purpose"]): Attempt | null {
  const attempt: Attempt | null = JSON.parse(sessionStorage.getItem(key) ?? "null");
  return attempt?.purpose === purpose ? attempt : null;
}
