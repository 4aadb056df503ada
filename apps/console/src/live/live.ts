import type { CurrentUser } from "@crossdock/contract";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { ask, authorisedFetch } from "../api/api.ts";
import { connected, connection, onceReachable, setLive } from "../api/connection.ts";
import { readStream } from "../api/read-stream.ts";
import { after, newsOf, refreshQueries, type News } from "./live-queries.ts";
import { ApiError } from "../api/problem.ts";
import { pulsed } from "./pulse.ts";
import { noteUser, session } from "../session/session.ts";

/** Waits between two attempts to connect grow from the first to the last of these; a random part keeps consoles from returning in step. */
const reconnectMs = { first: 1000, last: 30_000 };
/** Between two refreshes of what is on the screen; longer than the second that one event stands for. */
const refreshPauseMs = 1200;
/** A stream gives a sign of life every 15 seconds. One that is silent for so long is broken, though nobody has closed it. */
const silenceMaxMs = 45_000;

/** Keeps what is on the screen as it is at the server. A hidden tab asks for nothing, and for everything once when it is shown. */
export function useLiveUpdates(tenantCode: string | null): void {
  const client = useQueryClient();
  useEffect(() => {
    if (tenantCode === null) return undefined;
    let stop = new AbortController();
    function start(): void {
      stop.abort();
      stop = new AbortController();
      if (document.visibilityState === "visible") void follow(tenantCode ?? "", client, stop.signal);
    }
    start();
    document.addEventListener("visibilitychange", start);
    return () => {
      document.removeEventListener("visibilitychange", start);
      stop.abort();
      setLive(true);
    };
  }, [tenantCode, client]);
}

/** Browsers open six connections to a host with HTTP/1.1, so of the tabs on one tenant that are seen one holds the stream and tells the others. */
async function follow(tenantCode: string, client: QueryClient, signal: AbortSignal): Promise<void> {
  const name = `crossdock.news.${tenantCode}`;
  const tabs = new BroadcastChannel(name);
  signal.addEventListener("abort", () => tabs.close());
  const refresh = pulsed<News>({
    run: async (heard) => !signal.aborted && refreshQueries(client, tenantCode, heard),
    after,
    pauseMs: refreshPauseMs,
  });
  /** Null: no news come at the moment. */
  function take(news: News[] | null): void {
    setLive(news !== null);
    if (news === null) return;
    if (news.includes("access-changed") || news.includes("ended")) void askWhoIAm();
    refresh(news);
  }
  tabs.addEventListener("message", ({ data }: MessageEvent<News[] | null>) => take(data));
  async function lead(): Promise<void> {
    await stream(tenantCode, signal, (news) => {
      if (signal.aborted) return;
      take(news);
      // eslint-disable-next-line unicorn/require-post-message-target-origin -- a channel between tabs of one origin has no target
      if ("locks" in navigator) tabs.postMessage(news);
    });
  }
  // Locks exist in secure contexts only (https or localhost). Elsewhere each tab that is seen holds a stream.
  if (!("locks" in navigator)) return lead();
  const hasLed = await navigator.locks.request(name, { ifAvailable: true }, (lock) => lock && lead().then(() => true));
  if (hasLed || signal.aborted) return undefined;
  // Another tab's stream is open, which will not say what happened before.
  take(["resync"]);
  return navigator.locks.request(name, { signal }, lead).catch(() => undefined);
}

/** Tells what comes until the signal, through whatever interrupts the stream. */
async function stream(tenantCode: string, signal: AbortSignal, tell: (news: News[] | null) => void): Promise<void> {
  let waitMs = reconnectMs.first;
  while (!signal.aborted) {
    try {
      for await (const news of readNews(tenantCode, signal)) {
        waitMs = reconnectMs.first;
        tell(news);
      }
      // It had lasted as long as the server allows, or as the right to it.
      if (!session.hasSignedOut()) tell(["ended"]);
    } catch (error) {
      // The tenant has been withdrawn from the person, which its screens say. Whatever else broke the stream, the answer is to connect again.
      tell(error instanceof ApiError && error.problem.status === 404 ? ["ended"] : null);
    }
    if (connection.standing() !== "connected") {
      await connected(signal);
      waitMs = reconnectMs.first;
    }
    if (!signal.aborted) await pause(waitMs * (0.5 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, reconnectMs.last);
  }
}

/**
 * Yields when the stream opens, since nobody is told what happened before, and what the events on it tell
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Throws when it has been silent for too long.
 */
async function* readNews(tenantCode: string, signal: AbortSignal): AsyncGenerator<News[]> {
  const silence = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  function listen(): void {
    clearTimeout(timer);
    timer = setTimeout(() => silence.abort(), silenceMaxMs);
  }
  try {
    listen();
    const url = `/api/v1/tenants/${encodeURIComponent(tenantCode)}/events`;
    const response = await authorisedFetch(url, {
      headers: { accept: "text/event-stream" },
      signal: AbortSignal.any([signal, silence.signal]),
    });
    if (!response.body) return;
    yield ["resync"];
    let rest = "";
    for await (const text of readStream(response.body.pipeThrough(new TextDecoderStream()))) {
      listen();
      const blocks = (rest + text).split("\n\n");
      rest = blocks.pop() ?? "";
      // Comments and retry hints carry no data.
      const news = blocks.flatMap((block) => /^data: *(.+)/m.exec(block)?.[1] ?? []).map(typeOf);
      if (news.length > 0) yield news;
    }
  } finally {
    clearTimeout(timer);
  }
}

function typeOf(data: string): News {
  const { type }: { type: string } = JSON.parse(data);
  return newsOf(type);
}

/** Asks who is signed in: the role may have changed. */
async function askWhoIAm(): Promise<void> {
  const user = await onceReachable(() => ask<CurrentUser>("/auth"));
  if (user) noteUser(user);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
