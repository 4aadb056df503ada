import type pg from "pg";
import { mayCaller, type Principal } from "../access/access.ts";
import { readMasking, type Masking } from "./masking.ts";
import { permitted, type Permitted } from "../messages/filter.ts";

export type Caller = { tenantId: number; principal: Principal; key: Buffer };

/** The masking that a caller must not get around by filtering; null for one who may reveal. */
export async function readConcealing(client: pg.ClientBase, { tenantId, principal, key }: Caller): Promise<Masking | null> {
  return mayCaller(principal, "reveal") ? null : readMasking(client, tenantId, key);
}

/** The filter as its caller may look by it. Throws permission-missing when its payload filter could tell him of a masked value. */
export async function permitPayload<Asked extends { payload?: string | undefined }>(
  client: pg.ClientBase,
  caller: Caller,
  asked: Asked,
): Promise<Permitted<Asked>> {
  return permitted(asked, asked.payload === undefined ? null : await readConcealing(client, caller));
}
