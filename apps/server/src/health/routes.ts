import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import type { Deps } from "../deps.ts";
import { ApiError } from "../errors/errors.ts";
import { addRoute } from "../api/route.ts";
import { version } from "../version.ts";
import { requireWrites } from "../writability.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** From now on `/readyz` sends requests to others. What comes all the same is answered until the close. */
    tellStopping: () => void;
  }
}

export function registerHealth(app: FastifyInstance, { config, pools }: Deps): void {
  let isStopping = false;
  app.decorate("tellStopping", () => void (isStopping = true));
  app.addHook("preClose", async () => app.tellStopping());

  // Some of those who watch ask for the head alone.
  const options = { exposeHeadRoute: true };

  addRoute(app, routes.getLiveness, () => ({ status: "ok" as const }), options);

  const tellReadiness = async () => {
    if (isStopping) throw new ApiError("unavailable", { detail: "The server is stopping", retryAfterSeconds: 5 });
    await requireWrites(pools.app);
    return {
      status: "ready" as const,
      version,
      environment: config.environment,
      isDemo: config.isDemo,
      isUnderMaintenance: config.isUnderMaintenance,
    };
  };
  addRoute(app, routes.getReadiness, tellReadiness, options);
}
