import type pg from "pg";

export type Listener = { stop: () => Promise<void> };

/**
 * Calls back at each notification of a channel, over a connection of its own from the pool. When it breaks, it connects again,
 * and calls back once then: what was notified in between is lost.
 */
export function listen(
  pool: pg.Pool,
  channel: string,
  onNotification: (payload: string) => void,
  onError: (error: unknown) => void,
): Listener {
  let client: pg.PoolClient | undefined;
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;
  let connecting = connect();

  async function connect(): Promise<void> {
    try {
      await listenOn(await pool.connect());
    } catch (error) {
      onError(error);
      again();
    }
  }

  async function listenOn(fresh: pg.PoolClient): Promise<void> {
    let isBroken = false;
    // A connection that breaks raises an event and fails its query: one of them is to be acted on.
    const giveUp = (error: unknown): void => {
      if (isBroken) return;
      isBroken = true;
      if (client === fresh) client = undefined;
      onError(error);
      fresh.release(true);
      again();
    };
    fresh.on("notification", ({ payload }) => onNotification(payload ?? ""));
    fresh.on("error", giveUp);
    await fresh.query(`listen ${channel}`).catch(giveUp);
    if (isBroken) return;
    client = fresh;
    onNotification("");
  }

  function again(): void {
    if (isStopped) return;
    timer = setTimeout(() => {
      connecting = connect();
    }, 1000);
  }

  return {
    async stop() {
      isStopped = true;
      clearTimeout(timer);
      await connecting;
      client?.removeAllListeners("notification");
      client?.release(true);
    },
  };
}
