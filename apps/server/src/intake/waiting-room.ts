import { memoryBytes } from "@crossdock/db";
import { ApiError } from "../errors/errors.ts";

type Amount = { messages: number; bytes: number };

/**
 * The most that may wait, over all tenants, less with little memory: read and translated, a message takes many times its size. Whoever comes then is
 * asked to come back.
 */
const most: Amount = { messages: 20_000, bytes: Math.min(256 * 1024 * 1024, memoryBytes() / 32) };
/** Of that one tenant may have so much: what one sends faster than it can be taken in leaves room for the messages of others. One alone always has it. */
const shareOfTenant = 3 / 4;

/** What waits to be taken in. `take`: room for a message of so many bytes; what it answers gives it back. Throws `unavailable` when there is none. */
type WaitingRoom = { take: (tenantId: number, bytes: number) => () => void };

export function createWaitingRoom(): WaitingRoom {
  const all: Amount = { messages: 0, bytes: 0 };
  const ofTenants = new Map<number, Amount>();
  const isFull = ({ messages, bytes }: Amount, more: number, share: number): boolean =>
    messages >= most.messages * share || (messages > 0 && bytes + more > most.bytes * share);
  return {
    take(tenantId, bytes) {
      const own = ofTenants.get(tenantId) ?? { messages: 0, bytes: 0 };
      if (isFull(all, bytes, 1) || isFull(own, bytes, shareOfTenant)) throw new ApiError("unavailable", { retryAfterSeconds: 1 });
      ofTenants.set(tenantId, own);
      for (const amount of [all, own]) {
        amount.messages += 1;
        amount.bytes += bytes;
      }
      return () => {
        for (const amount of [all, own]) {
          amount.messages -= 1;
          amount.bytes -= bytes;
        }
        if (own.messages === 0) ofTenants.delete(tenantId);
      };
    },
  };
}
