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

/** What waits to be taken in. */
type WaitingRoom = {
  /** Room for a message of so many bytes. Throws `unavailable` when there is none. */
  take: (tenantId: number, bytes: number) => Place;
};

type Place = {
  /** The message takes so many bytes by now, if that is more than before. Throws as `take`; the place is then given back, so that others find room. */
  grow: (bytes: number) => void;
  leave: () => void;
};

export function createWaitingRoom(): WaitingRoom {
  const all: Amount = { messages: 0, bytes: 0 };
  const ofTenants = new Map<number, Amount>();
  const fits = ({ messages, bytes }: Amount, share: number): boolean =>
    messages <= most.messages * share && (messages <= 1 || bytes <= most.bytes * share);
  return {
    take(tenantId, bytes) {
      const own = ofTenants.get(tenantId) ?? { messages: 0, bytes: 0 };
      ofTenants.set(tenantId, own);
      let taken = 0;
      const change = (messages: number, size: number): void => {
        for (const amount of [all, own]) {
          amount.messages += messages;
          amount.bytes += size - taken;
        }
        taken = size;
      };
      let isHere = true;
      const leave = (): void => {
        if (!isHere) return;
        isHere = false;
        change(-1, 0);
        if (own.messages === 0) ofTenants.delete(tenantId);
      };
      const refuseUnfit = (): void => {
        if (fits(all, 1) && fits(own, shareOfTenant)) return;
        leave();
        throw new ApiError("unavailable", { retryAfterSeconds: 1 });
      };
      change(1, bytes);
      refuseUnfit();
      return {
        grow(size) {
          if (size <= taken) return;
          change(0, size);
          refuseUnfit();
        },
        leave,
      };
    },
  };
}
