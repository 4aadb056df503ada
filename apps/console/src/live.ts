import type { LiveEvent } from "@crossdock/contract";
import { useQueryClient, type QueryClient } from "@tanstack/react-query";
import { useEffect, useSyncExternalStore } from "react";
import { authorisedFetch } from "./api.ts";

/** Waits between two tries to connect grow from the first to the last of these, by a random part so that consoles don't return in step. */
const reconnectMs = { first: 1000, last: 30_000 };
/** Between two refreshes of what is on the screen. */
const refreshPauseMs = 1000;

let isConnected = true;
const listeners = new Set<() => void>();

/** False while the stream of live updates is broken. */
export function useIsLive(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isConnected,
  );
}

function setConnected(next: boolean): void {
  isConnected = next;
  for (const listener of listeners) listener();
}

/**
 * Queries that rearrange what the operator looks at carry `meta.isHeld`: they are only marked as stale, and their screen decides when to
 * ask again. All others are asked at once.
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
  const refresh = throttled(() => void refreshTenant(client, tenantCode), refreshPauseMs);
  let lastEventId: string | null = null;
  let waitMs = reconnectMs.first;
  while (!signal.aborted) {
    try {
      for await (const { id, event } of readEvents(tenantCode, lastEventId, signal)) {
        lastEventId = id ?? lastEventId;
        waitMs = reconnectMs.first;
        if (event) refresh();
      }
    } catch {
      // Whatever broke the stream, the answer is to connect again.
    }
    if (signal.aborted) return;
    setConnected(false);
    await pause(waitMs * (0.5 + Math.random() / 2), signal);
    waitMs = Math.min(waitMs * 2, reconnectMs.last);
  }
}

async function* readEvents(tenantCode: string, lastEventId: string | null, signal: AbortSignal) {
  const response = await authorisedFetch(`/api/v1/tenants/${encodeURIComponent(tenantCode)}/events`, {
    headers: { accept: "text/event-stream", ...(lastEventId !== null && { "last-event-id": lastEventId }) },
    signal,
  });
  if (!response.body) return;
  setConnected(true);
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) yield parseEvent(block);
  }
}

/** One block of https://html.spec.whatwg.org/multipage/server-sent-events.html; comments keep the connection alive and carry nothing. */
function parseEvent(block: string): { id: string | null; event: LiveEvent | null } {
  const fieldOf = (name: string) => {
    const line = block.split("\n").find((candidate) => candidate.startsWith(`${name}:`));
    return line === undefined ? null : line.slice(name.length + 1).trimStart();
  };
  const data = fieldOf("data");
  return { id: fieldOf("id"), event: data === null ? null : JSON.parse(data) };
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

/** Runs at once, then at most once a pause; a call during the pause runs at its end. */
function throttled(run: () => void, pauseMs: number): () => void {
  let isPausing = false;
  let isWanted = false;
  return function call() {
    isWanted = isPausing;
    if (isPausing) return;
    isPausing = true;
    run();
    setTimeout(() => {
      isPausing = false;
      if (isWanted) call();
    }, pauseMs);
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => (clearTimeout(timer), resolve()), { once: true });
  });
}
