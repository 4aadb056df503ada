import { timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Config } from "../config.ts";
import type { Deps } from "../deps.ts";
import { sha256 } from "../sha256.ts";
import type { ProcessMeter } from "./process-meter.ts";
import { queueFamilies, readCounted } from "./queue-metrics.ts";
import { contentType, familyText } from "./text.ts";

export type MetricsListener = { url: string; stop: () => Promise<void> };

/**
 * Tells Prometheus the metrics at a port of its own, so that a process without the role api can be asked too and nothing of it is on the
 * console's port. What the metrics store counted is told by the schedulers, who count it; everyone tells of itself.
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

  const server = createServer((request, response) => {
    void answer(request, response, config, text).catch((error: unknown) => {
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
  text: () => Promise<string>,
): Promise<void> {
  if (metricsToken !== null && !isBearer(request.headers.authorization, metricsToken))
    return void response.writeHead(401, { "www-authenticate": "Bearer" }).end();
  if (request.url?.split("?")[0] !== "/metrics") return void response.writeHead(404).end();
  if (request.method !== "GET") return void response.writeHead(405, { allow: "GET" }).end();
  const body = await text();
  response.writeHead(200, { "content-type": contentType, "cache-control": "no-store" }).end(body);
}

/** Compared by their hashes, which are of one length and tell nothing by the time it takes. */
function isBearer(header: string | undefined, token: string): boolean {
  return timingSafeEqual(sha256(header ?? ""), sha256(`Bearer ${token}`));
}
