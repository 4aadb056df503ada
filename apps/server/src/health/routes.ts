import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors.ts";
import { addRoute } from "../route.ts";
import { version } from "../version.ts";
import { whyNoWrites } from "../writability.ts";

export function registerHealth(app: FastifyInstance, { config, pools }: Deps): void {
  let isStopping = false;
  app.addHook("preClose", async () => void (isStopping = true));

  addRoute(app, routes.getLiveness, () => ({ status: "ok" as const }));

  addRoute(app, routes.getReadiness, async () => {
    if (isStopping) throw new ApiError("unavailable", { detail: "The server is stopping", retryAfterSeconds: 5 });
    const reason = await whyNoWrites(pools.app).catch((cause: unknown) => {
      throw new ApiError("unavailable", { detail: "The database does not answer", retryAfterSeconds: 5, cause });
    });
    if (reason !== null) throw new ApiError("unavailable", { detail: `The database takes no writes: ${reason}`, retryAfterSeconds: 5 });
    return {
      status: "ready" as const,
      version,
      environment: config.environment,
      isDemo: config.isDemo,
      isUnderMaintenance: config.isUnderMaintenance,
    };
  });
}
