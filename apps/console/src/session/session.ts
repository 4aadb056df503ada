import { useSyncExternalStore } from "react";
import type { CurrentUser, Permission, RolePermissions, Session } from "@crossdock/contract";
import { connected, connection, readAnswer, request } from "../api/connection.ts";
import { followLanguage } from "../settings.ts";
import { storedValue } from "../stored-value.ts";

/** Under such names a tab keeps what somebody has begun to write; it goes with the session that they end on purpose. */
export const draftPrefix = "crossdock.draft.";
/** The console renews its access token this long before it runs out. */
const renewAheadSeconds = 600;
/** Tabs that got their token from another tab wait up to this much longer, so that one tab renews it for all. */
const patienceSeconds = 30;

type OpenSession = { user: CurrentUser; accessToken: string; renewTimer: ReturnType<typeof setTimeout> };

/** Whether this browser has a session: scripts can't see the refresh cookie that holds it. */
const isOpen = storedValue(
  "crossdock.session",
  (text) => text === "open",
  (open) => (open ? "open" : null),
);
/** Hands every new token to the other tabs. */
const tabs = new BroadcastChannel("crossdock.session");

let current: OpenSession | null = null;
let isLapsed = false;
let hasSignedOut = false;
let renewing: Promise<boolean> | null = null;
let endLapse: (isRenewed: boolean) => void = () => undefined;
const listeners = new Set<() => void>();

export const session = {
  user: (): CurrentUser | null => current?.user ?? null,
  /** Whether this browser had a session when it was here last. */
  isExpected: (): boolean => isOpen.get(),
  /** Whether the session ended by itself while somebody works: the page stays, and sign-in appears over it. */
  isLapsed: (): boolean => isLapsed,
  /** Whether the last session of this tab was ended here on purpose. */
  hasSignedOut: (): boolean => hasSignedOut,
  accessToken: (): string | null => current?.accessToken ?? null,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

/** What a role may do inside a page. Only types come from the contract; this one is its literal table, so the compiler refuses any other. */
const permissionsOf: RolePermissions = {
  viewer: ["public", "signed-in", "read"],
  user: ["public", "signed-in", "read", "operate", "reveal", "gateway"],
  admin: ["public", "signed-in", "read", "operate", "reveal", "configure", "administer", "gateway"],
  gateway: ["public", "signed-in", "gateway"],
};

export function useIsPermitted(permission: Permission): boolean {
  return useUser()?.role.some((role) => permissionsOf[role].some((known) => known === permission)) ?? false;
}

export function useUser(): CurrentUser | null {
  return useSyncExternalStore(session.subscribe, session.user);
}

export function useIsLapsed(): boolean {
  return useSyncExternalStore(session.subscribe, session.isLapsed);
}

type Credentials = { email: string; password: string; remember: boolean };

/** Opens a session. Returns null when signed in, otherwise the refusing response, so that the sign-in screen can say why. */
export function signIn(credentials: Credentials): Promise<Response | null> {
  return openSession("/api/v1/session", credentials);
}

/** The same with what a provider wrote into the address. */
export function signInByProvider(query: string): Promise<Response | null> {
  return openSession("/api/v1/session/providers", { query });
}

async function openSession(url: string, body: object): Promise<Response | null> {
  const response = await request(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) return response;
  const opened = await readAnswer<Session>(response);
  beginForAll(opened);
  followLanguage(opened.user.locale);
  return null;
}

/** Goes on with the session of an earlier visit, if there is one. */
export async function resumeSession(): Promise<void> {
  // Signing out in one tab signs out in all.
  isOpen.subscribe(() => {
    // If another tab finds out first that the session is over, this one loses nothing: sign-in appears over its page.
    if (isOpen.get() || !current || isLapsed) return;
    hasSignedOut = true;
    forget();
  });
  tabs.addEventListener("message", ({ data }: MessageEvent<Session | null>) => {
    if (data) return begin(data, Math.random() * patienceSeconds);
    hasSignedOut = true;
    forget();
  });
  while (isOpen.get() && session.user() === null) {
    const isAnswered = await renewSession().then(
      () => true,
      () => false,
    );
    // Refused for another reason than the session's end: the way on is to sign in.
    if (isAnswered && connection.standing() === "connected") return;
    await connected();
  }
}

/**
 * Renews the access token from the refresh cookie; false when there is no session (any more). One renewal runs at a time. When the session
 * of somebody at work is over, this waits until they have signed in again or given up. Throws what `fetch` throws when no answer comes.
 */
export async function renewSession(): Promise<boolean> {
  if (isLapsed) return lapseOver();
  renewing ??= acrossTabs(renew).finally(() => {
    renewing = null;
  });
  const isRenewed = await renewing;
  return isRenewed || !isLapsed ? isRenewed : lapseOver();
}

/** Takes what the server says about the person now. */
export function noteUser(user: CurrentUser): void {
  if (!current || current.user._id !== user._id) return;
  current = { ...current, user };
  tell();
}

/** Signing out is shown for this long before the session is gone from the screen. */
const signOutDelayMs = 500;

export async function signOut(): Promise<void> {
  // At once, not after the delay: a request that is refused meanwhile ends the session as well.
  hasSignedOut = true;
  // Other tabs hear of it before the server refuses them, or they would take the session for lost and ask for it over the page.
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  tabs.postMessage(null);
  const shown = new Promise((resolve) => setTimeout(resolve, signOutDelayMs));
  await Promise.all([shown, request("/api/v1/session", { method: "DELETE" }).catch(() => null)]);
  // A request that was refused meanwhile may have led to the sign-in, and somebody may have signed in.
  if (hasSignedOut) end();
}

async function renew(): Promise<boolean> {
  const response = await request("/api/v1/session/refresh", { method: "POST" });
  const opened = response.ok ? await readAnswer<Session>(response) : null;
  // Somebody has signed out meanwhile.
  if (opened && hasSignedOut) return false;
  if (opened) beginForAll(opened);
  // Any other answer says nothing about the session, so it stays.
  else if (response.status === 401) lapse();
  return response.ok;
}

/** Tabs share the refresh cookie, so they take turns. A tab whose turn comes after another has renewed takes that tab's token. */
async function acrossTabs(work: () => Promise<boolean>): Promise<boolean> {
  const worn = current?.accessToken;
  const run = async (): Promise<boolean> => (current?.accessToken === worn ? work() : current !== null);
  // Locks exist in secure contexts only (https or localhost).
  return "locks" in navigator ? navigator.locks.request("crossdock.session", run) : run();
}

function beginForAll(opened: Session): void {
  begin(opened, 0);
  // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
  tabs.postMessage(opened);
}

function begin({ access_token, expires_in, user }: Session, patience: number): void {
  // What is on the screen belongs to somebody else.
  if (current && current.user._id !== user._id) return location.reload();
  clearTimeout(current?.renewTimer);
  const renewInSeconds = expires_in > renewAheadSeconds ? expires_in - renewAheadSeconds : expires_in / 2;
  const renewTimer = setTimeout(() => void renewSession().catch(() => undefined), (renewInSeconds + patience) * 1000);
  current = { user, accessToken: access_token, renewTimer };
  hasSignedOut = false;
  isLapsed = false;
  isOpen.set(true);
  tell();
  endLapse(true);
}

/** The session is over, and nobody asked for it. */
function lapse(): void {
  if (hasSignedOut) return end();
  // Other tabs find out by themselves, and keep their pages.
  if (current === null) return forget();
  clearTimeout(current.renewTimer);
  isLapsed = true;
  tell();
}

function lapseOver(): Promise<boolean> {
  return new Promise((resolve) => {
    const endOthers = endLapse;
    endLapse = (isRenewed) => (endOthers(isRenewed), resolve(isRenewed));
  });
}

function end(): void {
  forget();
  isOpen.set(false);
}

function forget(): void {
  if (hasSignedOut) for (const key of Object.keys(sessionStorage)) if (key.startsWith(draftPrefix)) sessionStorage.removeItem(key);
  clearTimeout(current?.renewTimer);
  current = null;
  isLapsed = false;
  tell();
  endLapse(false);
}

function tell(): void {
  for (const listener of listeners) listener();
}
