import type pg from "pg";
import { mayCaller, type Principal } from "./access.ts";
import { readMasking, type Masking } from "./masking.ts";
import { refuseConcealed } from "./message-filter.ts";

type Caller = { tenantId: number; principal: Principal; key: Buffer };

/** The masking that a caller must not get around by filtering; null for one who may reveal. */
export async function readConcealing(client: pg.ClientBase, { tenantId, principal, key }: Caller): Promise<Masking | null> {
  return mayCaller(principal, "reveal") ? null : readMasking(client, tenantId, key);
}

/** Throws permission-missing when a payload filter could tell the caller of a masked value. */
export async function checkPayload(client: pg.ClientBase, caller: Caller, payload: string | undefined): Promise<void> {
  if (payload !== undefined) refuseConcealed(payload, await readConcealing(client, caller));
}
