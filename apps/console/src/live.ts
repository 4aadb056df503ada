import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { authorisedFetch } from "./api.ts";
import { connected, connection, setLive } from "./connection.ts";
import { ApiError } from "./problem.ts";
import { noteUser } from "./session.ts";

/** Waits between two attempts to connect grow from the first to the last of these; a random part keeps consoles from returning in step. */
const reconnectMs = { first: 1000, last: 30_000 };
/** Between two refreshes of what is on the screen; longer than the second that one event stands for. */
const refreshPauseMs = 1200;

/**
 * Queries whose answers would rearrange what the operator looks at carry `meta.isHeld`: they are only marked as stale, and their screen decides when to
 * fetch again. All others are fetched at once.
 */
export function useLiveUpdates(tenantCode: string | null): void {
  const client = useQueryClient();
  useEffect(() => {
    if (tenantCode === null) return undefined;
    const stop = new AbortController();
    void follow(tenantCode, client, stop.signal);
    return () => stop.abort();
  }, [tenantCode, client]);
}

async function follow(tenantCode: string, client: QueryClient, signal: AbortSignal): Promise<void> {
  const refresh = pulsed(() => void refreshTenant(client, tenantCode), refreshPauseMs);
  let waitMs = reconnectMs.first;
  while (!signal.aborted) {
    try {
      for await (const news of readNews(tenantCode, signal)) {
        waitMs = reconnectMs.first;
        if (news.includes("access-changed")) void askWhoIAm();
        refresh();
      }
    } catch (error) {
      // The tenant has been withdrawn from the person, so the list of the remaining ones is fetched.
      if (error instanceof ApiError && error.problem.status === 404) void client.invalidateQueries({ queryKey: ["tenants"] });
      // Whatever broke the stream, the answer is to connect again. If it merely ended, it had lasted as long as the server allows.
      setLive(signal.aborted);
    }
    if (connection.standing() !== "connected") {
      await connected(signal);
      waitMs = reconnectMs.first;
    }
    await pause(waitMs * (0.5 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, reconnectMs.last);
  }
}

/**
 * Yields when the stream opens, since nobody is told what happened before, and for every event on it
 * (https://html.spec.whatwg.org/multipage/server-sent-events.html). Every kind of event means the same for what is shown: fetch again.
 */
async function* readNews(tenantCode: string, signal: AbortSignal): AsyncGenerator<string> {
  const url = `/api/v1/tenants/${encodeURIComponent(tenantCode)}/events`;
  const response = await authorisedFetch(url, { headers: { accept: "text/event-stream" }, signal });
  if (!response.body) return;
  setLive(true);
  yield "";
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    // Comments and retry hints carry no data.
    const news = blocks.filter((block) => /^data:/m.test(block));
    if (news.length > 0) yield news.join("\n");
  }
}

/** Asks who is signed in: the role may have changed. */
async function askWhoIAm(): Promise<void> {
  const answer = await authorisedFetch("/auth", {}).catch(() => null);
  if (answer) noteUser(await answer.json());
}

function isHeld({ meta }: { meta: Record<string, unknown> | undefined }): boolean {
  return meta?.["isHeld"] === true;
}

async function refreshTenant(client: QueryClient, tenantCode: string): Promise<void> {
  await Promise.all([
    client.invalidateQueries({ queryKey: ["tenants"] }),
    client.invalidateQueries({ queryKey: ["tenant", tenantCode], predicate: (query) => !isHeld(query) }),
    client.invalidateQueries({ queryKey: ["tenant", tenantCode], predicate: isHeld, refetchType: "none" }),
  ]);
}

/**
 * Runs at once and again after the pause, and goes on like that while calls keep coming: an event stands for everything that changes within its
 * second, so no other event announces what comes right after it.
 */
function pulsed(run: () => void, pauseMs: number): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isCalledAgain = false;
  function pulse(): void {
    timer = isCalledAgain ? setTimeout(pulse, pauseMs) : undefined;
    isCalledAgain = false;
    run();
  }
  return () => {
    isCalledAgain = true;
    if (timer === undefined) pulse();
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
