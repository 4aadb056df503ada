import { useSyncExternalStore } from "react";
import type { CurrentUser, Permission, Role, Session } from "@crossdock/contract";
import { connected, connection, request } from "./connection.ts";
import { storedValue } from "./stored-value.ts";

/** The console renews its access token this long before it runs out. */
const renewAheadSeconds = 600;

type OpenSession = { user: CurrentUser; accessToken: string; renewTimer: ReturnType<typeof setTimeout> };

/** Whether this browser has a session: the refresh cookie that holds it can't be seen from here. */
const isOpen = storedValue(
  "crossdock.session",
  (text) => text === "open",
  (open) => (open ? "open" : null),
);

let current: OpenSession | null = null;
let hasSignedOut = false;
let renewing: Promise<boolean> | null = null;
const listeners = new Set<() => void>();

export const session = {
  user: (): CurrentUser | null => current?.user ?? null,
  /** Whether this browser had a session when it was here last. */
  isExpected: (): boolean => isOpen.get(),
  /** Whether the last session of this tab was ended here on purpose. */
  hasSignedOut: (): boolean => hasSignedOut,
  accessToken: (): string | null => current?.accessToken ?? null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** What a role may do inside a page, as `rolePermissions` of the contract has it for the server, which enforces it; only types come from there. */
const permissionsOf: Record<Role, readonly Permission[]> = {
  viewer: ["read"],
  user: ["read", "operate"],
  admin: ["read", "operate", "configure", "administer"],
  gateway: [],
};

export function useIsPermitted(permission: Permission): boolean {
  return useUser()?.role.some((role) => permissionsOf[role].includes(permission)) ?? false;
}

export function useUser(): CurrentUser | null {
  return useSyncExternalStore(session.subscribe, session.user);
}

/** Opens a session. Answers the refusing response, so that the sign-in screen can tell why, or null when signed in. */
export async function signIn(credentials: { email: string; password: string; remember: boolean }): Promise<Response | null> {
  const response = await request("/api/v1/session", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(credentials),
  });
  if (!response.ok) return response;
  begin(await response.json());
  return null;
}

/** Goes on with the session of an earlier visit, if there is one. */
export async function resumeSession(): Promise<void> {
  // Signing out in one tab signs out in all.
  isOpen.subscribe(() => !isOpen.get() && current && forget());
  while (isOpen.get() && session.user() === null) {
    await renewSession();
    // Refused for another reason than the session's end: signing in is the way on.
    if (connection.standing() === "connected") return;
    await connected();
  }
}

/** Renews the access token from the refresh cookie; false when there is no session (any more). One renewal runs at a time. */
export function renewSession(): Promise<boolean> {
  renewing ??= acrossTabs(renew).finally(() => {
    renewing = null;
  });
  return renewing;
}

/** Signing out is shown for this long before the session is gone from the screen. */
const signOutDelayMs = 500;

export async function signOut(): Promise<void> {
  // From the start: a request that is refused meanwhile ends the session as well.
  hasSignedOut = true;
  const shown = new Promise((resolve) => setTimeout(resolve, signOutDelayMs));
  await Promise.all([shown, request("/api/v1/session", { method: "DELETE" }).catch(() => null)]);
  end();
}

async function renew(): Promise<boolean> {
  const response = await request("/api/v1/session/refresh", { method: "POST" }).catch(() => null);
  // Without an answer nothing is known about the session, so it stays.
  if (response === null || response.status >= 500) return false;
  if (response.ok) begin(await response.json());
  else end();
  return response.ok;
}

/** The refresh cookie rotates and its second use ends the session, so tabs that share it take turns. */
function acrossTabs(work: () => Promise<boolean>): Promise<boolean> {
  // Locks exist in secure contexts only (https or localhost).
  return "locks" in navigator ? navigator.locks.request("crossdock.session", work) : work();
}

function begin({ access_token, expires_in, user }: Session): void {
  clearTimeout(current?.renewTimer);
  const renewInSeconds = Math.max(expires_in - renewAheadSeconds, expires_in / 2);
  current = { user, accessToken: access_token, renewTimer: setTimeout(() => void renewSession(), renewInSeconds * 1000) };
  hasSignedOut = false;
  isOpen.set(true);
  for (const listener of listeners) listener();
}

function end(): void {
  forget();
  isOpen.set(false);
}

function forget(): void {
  clearTimeout(current?.renewTimer);
  current = null;
  for (const listener of listeners) listener();
}
