import { callerOf, type Principal } from "../access/access.ts";
import { ApiError } from "../errors/errors.ts";

/** Of all slots, so many parts of four one tenant may have: there is one left for another tenant at any time. */
const shareOfTenant = 3 / 4;
/** And one caller: what a slow or forgetful one keeps leaves room for the tenant's others. */
const shareOfCaller = 1 / 4;

/** How much of something a process does at a time. `running` is how much it does now. */
export type Slots = {
  running: number;
  /** Takes a slot for a caller in a tenant, 0 for the installation; what it answers gives it back. Throws `unavailable` when none is left for it. */
  take: (tenantId: number, principal: Principal) => () => void;
};

export function createSlots(max: number, retryAfterSeconds: number): Slots {
  const taken = new Map<string, number>();
  const add = (holder: string, count: number): void => {
    const now = (taken.get(holder) ?? 0) + count;
    if (now === 0) taken.delete(holder);
    else taken.set(holder, now);
  };
  const slots: Slots = {
    running: 0,
    take(tenantId, principal) {
      const shares: [holder: string, share: number][] = [
        [`tenant ${tenantId}`, shareOfTenant],
        [callerOf(principal), shareOfCaller],
      ];
      if (slots.running >= max || shares.some(([holder, share]) => (taken.get(holder) ?? 0) >= max * share))
        throw new ApiError("unavailable", { retryAfterSeconds });
      slots.running += 1;
      for (const [holder] of shares) add(holder, 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        slots.running -= 1;
        for (const [holder] of shares) add(holder, -1);
      };
    },
  };
  return slots;
}
