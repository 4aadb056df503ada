import {
  diag,
  DiagLogLevel,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span,
  type Tracer,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
  type Sampler,
} from "@opentelemetry/sdk-trace";
import type { Delivery } from "@crossdock/queue";
import type { Logger } from "pino";
import type { Config } from "../config.ts";
import { parseAllowList } from "../egress/addresses.ts";
import { checkAddress, checkedLookup } from "../egress/checked-lookup.ts";
import type { DeliveryTrace, IntakeTrace, TracedArrival, Tracing } from "../tracing.ts";
import { version } from "../version.ts";

export type RunningTracing = Tracing & { stop: () => Promise<void> };

const quiet = (): void => undefined;

/** A collector that is away holds nothing up: what it doesn't take within this time is dropped. */
const exportTimeoutMs = 5_000;
const exportEveryMs = 1_000;
const waitingSpansMax = 20_000;
const batchSpansMax = 2_000;

/** Sends traces to the collector at `endpoint` (OTLP over HTTP, protobuf). Throws EgressError for an address that is not allowed. */
export function startTracing({ otel, serviceAllow }: Config, endpoint: string, logger: Logger): RunningTracing {
  const warn = (message: string): void => logger.warn({ detail: message }, "traces could not be handed over");
  diag.setLogger({ error: warn, warn, info: quiet, debug: quiet, verbose: quiet }, { logLevel: DiagLogLevel.ERROR });
  const url = `${endpoint.replace(/\/$/, "")}/v1/traces`;
  const allow = parseAllowList(serviceAllow, "CROSSDOCK_SERVICE_ALLOW");
  const { hostname, port, protocol } = new URL(url);
  const portOf = Number(port || (protocol === "https:" ? 443 : 80));
  checkAddress(hostname, portOf, allow);
  const exporter = new OTLPTraceExporter({
    url,
    headers: otel.headers,
    timeoutMillis: exportTimeoutMs,
    httpAgentOptions: { keepAlive: true, lookup: checkedLookup(portOf, allow) },
  });
  const provider = new TracerProvider({
    sampler: samplerOf(otel.sampler, otel.samplerRatio),
    resource: resourceFromAttributes({ "service.name": otel.serviceName, "service.version": version }),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        scheduledDelayMillis: exportEveryMs,
        exportTimeoutMillis: exportTimeoutMs,
        maxQueueSize: waitingSpansMax,
        maxExportBatchSize: batchSpansMax,
      }),
    ],
  });
  const tracer = provider.getTracer("crossdock", version);
  return {
    receive: (arrival) => receive(tracer, arrival),
    deliver: (delivery) => deliver(tracer, delivery),
    // A collector that is away must not keep the server from stopping in order.
    stop: () => provider.shutdown().catch((error: unknown) => warn(error instanceof Error ? error.message : String(error))),
  };
}

function samplerOf(name: Config["otel"]["sampler"], ratio: number): Sampler {
  const ofRoot = name.endsWith("always_on")
    ? new AlwaysOnSampler()
    : name.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new TraceIdRatioBasedSampler(ratio);
  return name.startsWith("parentbased_") ? new ParentBasedSampler({ root: ofRoot }) : ofRoot;
}

function receive(tracer: Tracer, arrival: TracedArrival): IntakeTrace | null {
  const { headers, tenantId, subtenantId, integrationPointId, connector, channel } = arrival;
  const span = tracer.startSpan(
    `receive ${connector}`,
    {
      kind: SpanKind.SERVER,
      attributes: {
        "crossdock.tenant_id": tenantId,
        "crossdock.subtenant_id": subtenantId,
        "crossdock.integration_point_id": integrationPointId,
        "crossdock.connector": connector,
        "crossdock.channel": channel,
      },
    },
    contextOf(headers["traceparent"]) ?? ROOT_CONTEXT,
  );
  if (!span.isRecording()) return null;
  return {
    traceparent: traceparentOf(span),
    end: (receipt) => {
      if (receipt === null) span.setStatus({ code: SpanStatusCode.ERROR });
      else {
        const { externalMessageId, state, isDuplicate, messageIds } = receipt;
        span.setAttributes({
          "crossdock.external_message_id": externalMessageId,
          "crossdock.state": state,
          "crossdock.is_duplicate": isDuplicate,
          "crossdock.messages": messageIds.length,
        });
        if (state === "rejected") span.setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end();
    },
  };
}

function deliver(tracer: Tracer, delivery: Delivery): DeliveryTrace | null {
  const arrived = contextOf(delivery.headers["traceparent"]);
  if (arrived === null) return null;
  const { queueName, messageId, attempt, publishedAt, tenantId, targetId, entityType } = delivery;
  const attributes = {
    "messaging.system": "crossdock",
    "messaging.destination.name": queueName,
    "messaging.message.id": messageId,
    "crossdock.tenant_id": tenantId,
    "crossdock.integration_point_id": targetId,
    "crossdock.entity_type": entityType,
  };
  let parent = arrived;
  if (attempt === 1) {
    // The wait is told when it is over, by whoever took the message.
    const wait = tracer.startSpan(`wait ${queueName}`, { kind: SpanKind.PRODUCER, attributes, startTime: publishedAt }, arrived);
    wait.end();
    parent = trace.setSpan(arrived, wait);
  }
  const span = tracer.startSpan(
    `deliver ${queueName}`,
    { kind: SpanKind.CONSUMER, attributes: { ...attributes, "crossdock.attempt": attempt } },
    parent,
  );
  if (!span.isRecording()) return null;
  return {
    request: (method, url) => request(tracer, trace.setSpan(parent, span), method, url),
    end: (outcome) => {
      const error = outcome !== null && "attempt" in outcome ? outcome.attempt.error : null;
      span.setAttributes({ "crossdock.outcome": outcome?.kind ?? "failed", ...(error ? { "error.type": error.class } : {}) });
      if (error || outcome === null) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function request(tracer: Tracer, parent: Context, method: string, url: string): ReturnType<DeliveryTrace["request"]> {
  const host = URL.canParse(url) ? new URL(url).host : "";
  const span = tracer.startSpan(
    method,
    { kind: SpanKind.CLIENT, attributes: { "http.request.method": method, "server.address": host } },
    parent,
  );
  return {
    traceparent: traceparentOf(span),
    end: (status) => {
      if (status !== null) span.setAttribute("http.response.status_code", status);
      if (status === null || status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    },
  };
}

function traceparentOf(span: Span): string {
  const { traceId, spanId, traceFlags } = span.spanContext();
  return `00-${traceId}-${spanId}-${(traceFlags & TraceFlags.SAMPLED).toString(16).padStart(2, "0")}`;
}

// Later versions may append fields.
const traceparentForm = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:-|$)/;

/** Null when there is none, or none that can be read: then a trace begins here. */
function contextOf(traceparent: string | undefined): Context | null {
  const [, traceId = "", spanId = "", flags = ""] = traceparentForm.exec(traceparent ?? "") ?? [];
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(context) ? trace.setSpanContext(ROOT_CONTEXT, context) : null;
}
