import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { sha256 } from "../keys/sha256.ts";
import { version } from "../version.ts";
import { requireWrites } from "../writability.ts";
import type { ProcessMeter } from "./process-meter.ts";
import { queueFamilies, readCounted } from "./queue-metrics.ts";
import { contentType, familyText } from "./text.ts";

/** Nobody is to count on the process before `tellReady`, at the end of its start, nor after `tellStopping`, at the beginning of its stop. */
export type MetricsListener = { url: string; tellReady: () => void; tellStopping: () => void; stop: () => Promise<void> };

/**
 * Tells Prometheus the metrics at a port of its own, so that a process without the role api can be asked too and nothing of it is on the
 * console's port. What the metrics store counted is told by the schedulers, who count it; everyone tells of itself. Probes are answered
 * there as well, whoever asks: they say nothing of anybody's data.
 */
export async function startMetricsListener({ config, pools, logger }: Deps, port: number, meter: ProcessMeter): Promise<MetricsListener> {
  const { metricsHost: host, metricsQueuesMax } = config;
  let underWay: Promise<string> | null = null;

  async function queueText(): Promise<string> {
    try {
      const families = queueFamilies(await readCounted(pools.worker), metricsQueuesMax);
      return [...families.map(familyText), upText(1)].join("");
    } catch (error) {
      logger.warn({ err: error }, "the metrics store did not answer");
      return upText(0);
    }
  }

  /** Readers that come together share one look. */
  function text(): Promise<string> {
    underWay ??= Promise.all([meter.text(), config.roles.has("scheduler") ? queueText() : ""])
      .then((parts) => parts.join(""))
      .finally(() => (underWay = null));
    return underWay;
  }

  let unreadiness: string | null = "The server is starting";
  async function readiness(): Promise<void> {
    if (unreadiness !== null) throw new ApiError("unavailable", { detail: unreadiness });
    await requireWrites(config.roles.has("api") ? pools.app : pools.worker);
  }

  const server = createServer((request, response) => {
    void answer(request, response, config, { text, readiness }).catch((error: unknown) => {
      logger.error({ err: error }, "the metrics could not be told");
      response.writeHead(500).end();
    });
  });
  server.headersTimeout = 10_000;
  server.requestTimeout = 10_000;
  server.listen(port, host);
  await once(server, "listening");
  const address = server.address();
  const realPort = typeof address === "object" && address ? address.port : port;
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${realPort}/metrics`,
    tellReady: () => (unreadiness = null),
    tellStopping: () => (unreadiness = "The server is stopping"),
    stop: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

function upText(value: 0 | 1): string {
  const help = "1 when the metrics store answered this time, 0 when the queues' figures are absent.";
  return familyText({ name: "crossdock_metrics_store_up", type: "gauge", help, samples: [{ labels: {}, value }] });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  { metricsToken }: Config,
  { text, readiness }: { text: () => Promise<string>; readiness: () => Promise<void> },
): Promise<void> {
  const path = request.url?.split("?")[0];
  if (request.method === "GET" && path === "/healthz") return tell(response, 200, { status: "ok" });
  if (request.method === "GET" && path === "/readyz") return answerReadiness(response, readiness);
  if (metricsToken !== null && !isBearer(request.headers.authorization, metricsToken))
    return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  if (path !== "/metrics") return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { allow: "GET" }).end();
  const body = await text();
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(body);
}

async function answerReadiness(response: ServerResponse, readiness: () => Promise<void>): Promise<void> {
  try {
    await readiness();
    tell(response, 200, { status: "ready", version });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tell(response, 503, { status: "unavailable", detail: error.message });
  }
}

function tell(response: ServerResponse, status: number, body: Record<string, string>): void {
  response.writeHead(status, { "content-type": "application/json", "cache-control": "no-store" }).end(JSON.stringify(body));
}

/** Compared by their hashes, which are of one length and tell nothing by the time it takes. */
function isBearer(header: string | undefined, token: string): boolean {
  return timingSafeEqual(sha256(header ?? ""), sha256(`Bearer ${token}`));
}
