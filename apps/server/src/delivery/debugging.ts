import type { OutboundRequest, TargetResponse } from "@crossdock/connectors";
import type { Attempt } from "@crossdock/queue";
import type pg from "pg";
import { recordAttempt } from "./recording.ts";

/** The way out, as a delivery uses it. */
export type DeliveryEgress = { send: (request: OutboundRequest, signal?: AbortSignal) => Promise<TargetResponse> };

/** Each request of a delivery that was sent, with its answer. */
type DebugExchange = { request: NonNullable<Attempt["request"]>; response: Attempt["response"] };

export type DebugRecord = { messageId: string; attempt: number; exchanges: DebugExchange[] };

/** A way out that notes what goes by, whole but for its secrets. */
export function watchEgress(egress: DeliveryEgress, secrets: readonly string[]): { egress: DeliveryEgress; exchanges: DebugExchange[] } {
  const exchanges: DebugExchange[] = [];
  function note(request: OutboundRequest, response: TargetResponse | null): void {
    const kept = recordAttempt(0, request, response, null, secrets, Number.POSITIVE_INFINITY);
    if (kept.request) exchanges.push({ request: kept.request, response: kept.response ?? null });
  }
  return {
    exchanges,
    egress: {
      async send(request, signal) {
        try {
          const response = await egress.send(request, signal);
          note(request, response);
          return response;
        } catch (error) {
          note(request, null);
          throw error;
        }
      },
    },
  };
}

const storeSql = "insert into hub.debug_exchange (tenant_id, message_id, attempt, exchanges) values ($1, $2, $3, $4)";

export async function storeDebugRecord(client: pg.ClientBase, tenantId: number, record: DebugRecord): Promise<void> {
  await client.query(storeSql, [tenantId, record.messageId, record.attempt, JSON.stringify(record.exchanges)]);
}
