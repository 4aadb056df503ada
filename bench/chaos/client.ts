import { makeOrder, type Lane } from "../installation.ts";

export type ChaosClient = {
  /** Orders that were acknowledged, by key: the versions in the order in which they were sent. */
  acknowledged: Map<string, number[]>;
  acknowledgedCount: () => number;
  retries: () => number;
  /** Resolves when `count` messages have been acknowledged. */
  whenAcknowledged: (count: number) => Promise<void>;
  /** Lets it hand in up to `count` messages; it starts with none. */
  allow: (count: number) => void;
  done: Promise<void>;
};

const callers = 24;

/**
 * Hands `messages` orders in, spread over `keys` order numbers, each key's versions one after the other. A call that brings no
 * answer is repeated with the same Idempotency-Key until it does, which is all that a careful client can do.
 */
export function startClient(lane: Lane, { messages, keys, seed }: { messages: number; keys: number; seed: number }): ChaosClient {
  const acknowledged = new Map<string, number[]>();
  const [acknowledgements, allowance] = [createTally(), createTally()];
  let [retries, started] = [0, 0];

  // Each caller has keys of its own, so that no two versions of one order are under way together.
  const call = async (caller: number): Promise<void> => {
    for (let turn = 0; started < messages; turn += 1) {
      started += 1;
      await allowance.reaches(started);
      const key = `order-${(caller + turn * callers) % (Math.ceil(keys / callers) * callers)}`;
      const versions = acknowledged.get(key) ?? [];
      const version = versions.length + 1;
      const tries = await pushUntilAcknowledged(lane, key, version, `${seed} ${key} ${version}`);
      retries += tries;
      versions.push(version);
      acknowledged.set(key, versions);
      acknowledgements.raise(acknowledgements.count() + 1);
    }
  };
  return {
    acknowledged,
    acknowledgedCount: acknowledgements.count,
    retries: () => retries,
    whenAcknowledged: acknowledgements.reaches,
    allow: allowance.raise,
    done: Promise.all(Array.from({ length: callers }, (_, caller) => call(caller))).then(() => {}),
  };
}

/** A number that grows, and who waits for it to reach another one. */
function createTally(): { count: () => number; raise: (to: number) => void; reaches: (wanted: number) => Promise<void> } {
  let count = 0;
  let waiters: { wanted: number; resolve: () => void }[] = [];
  return {
    count: () => count,
    raise: (to) => {
      count = to;
      for (const { wanted, resolve } of waiters) if (count >= wanted) resolve();
      waiters = waiters.filter(({ wanted }) => count < wanted);
    },
    reaches: async (wanted) => {
      if (count < wanted) await new Promise<void>((resolve) => waiters.push({ wanted, resolve }));
    },
  };
}

/** Answers how often it had to be repeated. Throws when the server refuses the message for good. */
async function pushUntilAcknowledged(
  { pushUrl, key: apiKey }: Lane,
  key: string,
  version: number,
  idempotencyKey: string,
): Promise<number> {
  const headers = { "content-type": "application/json", "x-api-key": apiKey, "idempotency-key": idempotencyKey };
  for (let tries = 0; ; tries += 1) {
    try {
      const answer = await fetch(pushUrl, { method: "POST", headers, body: makeOrder(key, version), signal: AbortSignal.timeout(15_000) });
      const text = await answer.text();
      if (answer.ok) return tries;
      if (answer.status < 500 && answer.status !== 429) throw new TypeError(`refused with ${answer.status}: ${text.slice(0, 300)}`);
    } catch (error) {
      if (error instanceof TypeError && error.message.startsWith("refused")) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
