import { useSyncExternalStore } from "react";
import { noteBuild } from "./new-version.ts";

/** Whether the server can be reached, as every answer, or the lack of one, tells. */
type Standing = "connected" | "offline" | "unreachable" | "maintenance";

/** How long an answer may take, unless the caller says it. A connection that was lost without a word would keep people waiting for minutes. */
export const answerMaxMs = 60_000;
/** Whether what was asked for failed since it did not come in time. */
export const isTimeOver = (error: unknown): boolean => error instanceof DOMException && error.name === "TimeoutError";

/** Waits between two attempts to reach the server; a random part keeps consoles from returning in step. */
const lookMs = { first: 1000, last: 15_000 };

let standing: Standing = navigator.onLine ? "connected" : "offline";
let isLive = true;
let requestId = "";
let isLooking = false;
/** How often the browser said that it is offline: what was asked before that tells nothing of the time after. */
let losses = 0;
let wake: () => void = () => undefined;
const listeners = new Set<() => void>();

export const connection = {
  standing: (): Standing => standing,
  /** False while the stream of live updates is broken. */
  isLive: (): boolean => isLive,
  /** The newest answer's request id, for people who report a fault. */
  lastRequestId: (): string => requestId,
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
};

export function useStanding(): Standing {
  return useSyncExternalStore(connection.subscribe, connection.standing);
}

export function useIsLive(): boolean {
  return useSyncExternalStore(connection.subscribe, connection.isLive);
}

export function setLive(next: boolean): void {
  isLive = next;
  tell();
}

/** Resolves when the server answers again; the signal ends the wait. */
export function connected(signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!isConnected() && !signal?.aborted) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = connection.subscribe(check);
    signal?.addEventListener("abort", check, { once: true });
    check();
  });
}

/** What is loaded, however long the server can't be reached; null when it is wanted no more, or can't be had from a server that answers. */
export async function onceReachable<Loaded>(load: () => Promise<Loaded>, signal = new AbortController().signal): Promise<Loaded | null> {
  for (let hasAnswered = false; !signal.aborted;) {
    try {
      const loaded = await load();
      return signal.aborted ? null : loaded;
    } catch {
      if (hasAnswered) return null;
      hasAnswered = await request("/readyz").then(
        () => true,
        () => false,
      );
      await connected(signal);
    }
  }
  return null;
}

/** Loads the page again, when the server answers: before that there would be the browser's own page instead. */
export async function reload(): Promise<void> {
  await connected();
  location.reload();
}

/** A page in place of an answer is not the server's but a network's or a proxy's, where somebody has to sign in first. */
const isForeign = (response: Response): boolean => response.ok && (response.headers.get("content-type") ?? "").startsWith("text/html");

/** Every request to the server goes through here. Throws what `fetch` throws when no answer of the server comes. */
export async function request(url: string, init: RequestInit = {}): Promise<Response> {
  const lossesBefore = losses;
  let response: Response;
  try {
    response = await fetch(url, { signal: AbortSignal.timeout(answerMaxMs), ...init });
    if (isForeign(response)) throw new TypeError("A page came in place of an answer.");
  } catch (error) {
    if (!init.signal?.aborted) stand(withoutAnswer());
    throw error;
  }
  requestId = response.headers.get("x-request-id") ?? requestId;
  noteBuild(response.headers.get("x-console-build"));
  const next = await standingAfter(response);
  if (losses === lossesBefore) stand(next);
  return response;
}

/** What an answer says. One that breaks off, or can't be read, is none. */
export async function readAnswer<Answer>(response: Response): Promise<Answer> {
  try {
    return await response.json();
  } catch (error) {
    stand(withoutAnswer());
    throw error;
  }
}

const withoutAnswer = (): Standing => (navigator.onLine ? "unreachable" : "offline");

/** A proxy may answer in place of a server that is away; the server's own answers carry a request id. */
async function standingAfter(response: Response): Promise<Standing> {
  if (response.status < 502) return "connected";
  if (!response.headers.has("x-request-id")) return "unreachable";
  const { code }: { code?: string } = await response
    .clone()
    .json()
    .catch(() => ({}));
  return code === "maintenance" ? "maintenance" : "connected";
}

function stand(next: Standing): void {
  // To people, a server that goes away during its maintenance is still under maintenance.
  if (next === standing || (standing === "maintenance" && next !== "connected")) return;
  standing = next;
  tell();
  void lookForServer();
}

function tell(): void {
  for (const listener of listeners) listener();
}

/** Asks until the server answers and isn't under maintenance. */
async function lookForServer(): Promise<void> {
  if (isLooking) return;
  isLooking = true;
  let waitMs = lookMs.first;
  while (!isConnected()) {
    await pause(waitMs * (0.5 + Math.random() / 2));
    waitMs = Math.min(waitMs * 2, lookMs.last);
    // Another answer may have come meanwhile.
    if (isConnected()) break;
    const lossesBefore = losses;
    const next = await look();
    if (losses === lossesBefore) stand(next);
  }
  isLooking = false;
}

const isConnected = (): boolean => standing === "connected";

/** What one request finds. An answer that breaks off or can't be read is none: it must not end the looking. */
async function look(): Promise<Standing> {
  try {
    const response = await fetch("/readyz", { cache: "no-store", signal: AbortSignal.timeout(lookMs.last) });
    if (!response.ok || isForeign(response)) return "unreachable";
    noteBuild(response.headers.get("x-console-build"));
    const { isUnderMaintenance }: { isUnderMaintenance: boolean } = await response.json();
    return isUnderMaintenance ? "maintenance" : "connected";
  } catch {
    return withoutAnswer();
  }
}

/** Tries at once instead of at the end of the pause. */
export function lookNow(): void {
  wake();
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    wake = () => (clearTimeout(timer), resolve());
  });
}

addEventListener("offline", () => {
  losses += 1;
  stand("offline");
});
addEventListener("online", lookNow);
void lookForServer();
