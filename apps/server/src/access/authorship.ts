import type pg from "pg";
import type { Principal } from "./access.ts";
import { actorSql, actorValues } from "./actor.ts";

const signSql = `
  select set_config('crossdock.actor', ${actorSql("$1", "$2", "$3")}, true), set_config('crossdock.reason', $4, true),
    set_config('crossdock.restored', $5, true)`;

type Signature = {
  tenantId: number;
  principal: Principal;
  reason?: string | null | undefined;
  /** The version that is put back. */
  restored?: number;
};

/** Says whose changes the rest of the transaction makes: triggers that keep versions write it down. */
export async function signChanges(client: pg.ClientBase, { tenantId, principal, reason, restored }: Signature): Promise<void> {
  await client.query(signSql, [tenantId, ...actorValues(principal), reason ?? "", restored === undefined ? "" : String(restored)]);
}
