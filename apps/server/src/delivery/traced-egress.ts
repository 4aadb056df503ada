import type { DeliveryTrace } from "../tracing.ts";
import type { DeliveryEgress } from "./debugging.ts";

/** Each request is a part of the delivery's trace, which the target may continue. */
export function traceEgress(egress: DeliveryEgress, trace: DeliveryTrace): DeliveryEgress {
  return {
    send: async (request, signal) => {
      const { traceparent, end } = trace.request(request.method, request.url);
      try {
        const response = await egress.send({ ...request, headers: { ...request.headers, traceparent } }, signal);
        end(response.status);
        return response;
      } catch (error) {
        end(null);
        throw error;
      }
    },
  };
}
