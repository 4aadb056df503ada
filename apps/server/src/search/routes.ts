import type { FastifyInstance } from "fastify";
import { routes } from "@crossdock/contract";
import { inTenant } from "../db.ts";
import type { Deps } from "../deps.ts";
import { addRoute } from "../api/route.ts";
import { findThings } from "./find.ts";

export function registerSearch(app: FastifyInstance, { pools }: Deps): void {
  addRoute(app, routes.searchTenant, ({ tenant: { tenantId }, query }) =>
    inTenant(pools.readOnly, tenantId, (client) => findThings(client, tenantId, query.q)),
  );
}
