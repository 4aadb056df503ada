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
      const fresh = await pool.connect();
      fresh.on("notification", ({ payload }) => onNotification(payload ?? ""));
      fresh.on("error", (error) => {
        onError(error);
        if (client === fresh) client = undefined;
        fresh.release(true);
        again();
      });
      await fresh.query(`listen ${channel}`);
      client = fresh;
      onNotification("");
    } catch (error) {
      onError(error);
      again();
    }
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
