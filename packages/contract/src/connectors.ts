import { z } from "zod";
import { ConnectorCode } from "./connector-catalogue.ts";
import { defineRoute } from "./define-route.ts";

/** A connector as the console offers it: its place in the gateway and, as JSON Schemas, the forms of its settings and credentials. */
export const Connector = z
  .object({
    code: ConnectorCode,
    name: z.string(),
    kind: z.enum(["native", "generic"]),
    basePath: z.string(),
    devBasePath: z.string(),
    endpoints: z.array(z.object({ path: z.string(), entityType: z.string(), hasNext: z.boolean(), canResend: z.boolean() })),
    unverified: z.array(z.string()).describe("Conventions of the system that were inferred and not seen at work"),
    pulls: z
      .array(z.string())
      .describe("Entity types that can be pulled by a schedule; none where the generic connector serves an integration point"),
    lists: z
      .array(z.string())
      .describe(
        "Entity types that can be read back from a target, for reconciliations. Where the generic connector serves an integration point, those of `list` in its settings",
      ),
    canTest: z.boolean(),
    profile: z.record(z.string(), z.unknown()).nullable().describe("Settings to begin with"),
    settingsSchema: z.record(z.string(), z.unknown()).describe("JSON Schema"),
    credentialsSchema: z.record(z.string(), z.unknown()).describe("JSON Schema"),
  })
  .meta({ id: "Connector" });
export type Connector = z.infer<typeof Connector>;

export const connectorRoutes = {
  listConnectors: defineRoute({
    method: "GET",
    path: "/api/v1/connectors",
    permission: "signed-in",
    summary: "The catalogue of connectors",
    responses: { 200: z.object({ items: z.array(Connector) }) },
  }),
};
