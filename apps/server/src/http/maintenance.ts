import type { FastifyInstance } from "fastify";
import { ApiError } from "../errors/errors.ts";

/** What people's consoles and clients of the API call. */
const closedPaths = /^\/(api\/|auth$|gateway\/v1\/admin\/)/;
const retryAfterSeconds = 60;

/**
 * Refuses the API with 503 'maintenance'. Health, the console's files, webhooks and the gateway stay open: what a source system sends is
 * kept, and what an outside worker holds can be settled, so that nothing is lost or delivered twice.
 */
export function refuseForMaintenance(app: FastifyInstance): void {
  app.addHook("onRequest", async (request) => {
    if (closedPaths.test(request.routeOptions.url ?? "")) throw new ApiError("maintenance", { retryAfterSeconds });
  });
}
