import { ApiError } from "./errors.ts";

/** Of all slots, so many parts of four one tenant may have: there is one left for another tenant at any time. */
const shareOfOne = 3 / 4;

/** How much of something a process does at a time. `running` is how much it does now. */
export type Slots = {
  running: number;
  /** Takes a slot for a tenant, 0 for the installation; what it answers gives it back. Throws `unavailable` when none is left for it. */
  take: (tenantId: number) => () => void;
};

export function createSlots(max: number, retryAfterSeconds: number): Slots {
  const ofTenants = new Map<number, number>();
  const slots: Slots = {
    running: 0,
    take(tenantId) {
      const own = ofTenants.get(tenantId) ?? 0;
      if (slots.running >= max || own >= max * shareOfOne) throw new ApiError("unavailable", { retryAfterSeconds });
      slots.running += 1;
      ofTenants.set(tenantId, own + 1);
      let isTaken = true;
      return () => {
        if (!isTaken) return;
        isTaken = false;
        slots.running -= 1;
        const left = (ofTenants.get(tenantId) ?? 1) - 1;
        if (left === 0) ofTenants.delete(tenantId);
        else ofTenants.set(tenantId, left);
      };
    },
  };
  return slots;
}
