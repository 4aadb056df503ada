import { listen } from "@crossdock/queue";
import type pg from "pg";
import type { Logger } from "pino";
import { pulledChannel } from "../intake/store.ts";

export type WakeUps = {
  /** Resolves when the queue may have something new, after `timeoutMs`, or when `signal` aborts. */
  wait: (queueId: number, timeoutMs: number, signal: AbortSignal) => Promise<void>;
  /** Ends all waiting polls, because the server stops. */
  readonly isClosing: boolean;
  close: () => Promise<void>;
};

/** Lets long polls sleep until a publication names their queue; one listening connection serves them all. */
export function createWakeUps(pool: pg.Pool, logger: Logger): WakeUps {
  const sleepers = new Map<number, Set<() => void>>();
  let isClosing = false;
  const wake = (queueId: number): void => sleepers.get(queueId)?.forEach((rise) => rise());
  const wakeAll = (): void => sleepers.forEach((_risers, queueId) => wake(queueId));
  const listener = listen(pool, {
    channels: [pulledChannel],
    onNotification: (_channel, payload) => (payload === "" ? wakeAll() : payload.split(",").forEach((queueId) => wake(Number(queueId)))),
    onMissed: wakeAll,
    onError: (error) => logger.warn({ err: error }, "long polls are not woken; they look by themselves every few seconds"),
  });

  return {
    wait: (queueId, timeoutMs, signal) =>
      new Promise((resolve) => {
        const risers = sleepers.get(queueId) ?? new Set();
        sleepers.set(queueId, risers);
        const rise = (): void => {
          clearTimeout(timer);
          signal.removeEventListener("abort", rise);
          risers.delete(rise);
          if (risers.size === 0 && sleepers.get(queueId) === risers) sleepers.delete(queueId);
          resolve();
        };
        const timer = setTimeout(rise, timeoutMs);
        risers.add(rise);
        signal.addEventListener("abort", rise, { once: true });
        if (signal.aborted) rise();
      }),
    get isClosing() {
      return isClosing;
    },
    close: async () => {
      isClosing = true;
      wakeAll();
      await listener.stop();
    },
  };
}
