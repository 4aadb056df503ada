import type { FastifyInstance } from "fastify";
import { connectors } from "@crossdock/connectors";
import { ConnectorCode, connectorCatalogue, routes } from "@crossdock/contract";
import { z } from "zod";
import { addRoute } from "../api/route.ts";

export function registerConnectors(app: FastifyInstance): void {
  // The catalogue is part of the program, so its answer is made once.
  const items = ConnectorCode.options.map((code) => ({
    ...connectorCatalogue[code],
    endpoints: [...connectorCatalogue[code].endpoints],
    unverified: [...connectors[code].unverified],
    pulls: [...(connectors[code].pull?.entityTypes ?? [])],
    lists: [...(connectors[code].list?.entityTypes ?? [])],
    canTest: connectors[code].probe !== undefined,
    profile: connectors[code].profile ?? null,
    settingsSchema: z.toJSONSchema(connectors[code].settingsSchema, { io: "input" }),
    credentialsSchema: z.toJSONSchema(connectors[code].credentialsSchema, { io: "input" }),
  }));
  addRoute(app, routes.listConnectors, () => ({ items }));
}
