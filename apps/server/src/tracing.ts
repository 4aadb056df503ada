import type { Delivery, Outcome } from "@crossdock/queue";

/**
 * Follows messages for OpenTelemetry: one trace from the door over the queue to the target. Names and numbers of what is where and how long it took;
 * never a payload, a business key, an error's text or a URL's path.
 */
export type Tracing = {
  /** A raw message that came in, in the trace that its sender began, if any. Null: not sampled. */
  receive: (arrival: TracedArrival) => IntakeTrace | null;
  /** A try of a message that was traced when it came in. Null: it was not. */
  deliver: (delivery: Delivery) => DeliveryTrace | null;
};

export type TracedArrival = {
  tenantId: number;
  subtenantId: number;
  integrationPointId: number;
  connector: string;
  channel: string;
  headers: Readonly<Record<string, string>>;
};

export type IntakeTrace = {
  /** Travels with the messages made of it, in their header `traceparent`: https://www.w3.org/TR/trace-context/ */
  traceparent: string;
  /** Null: nothing was kept. */
  end: (receipt: { externalMessageId: string; state: string; isDuplicate: boolean; messageIds: readonly string[] } | null) => void;
};

export type DeliveryTrace = {
  /** One request to the target, which continues the trace by the header `traceparent`. */
  request: (method: string, url: string) => { traceparent: string; end: (status: number | null) => void };
  /** Null: the handler failed. */
  end: (outcome: Outcome | null) => void;
};
