import { z } from "zod";
import { defineRoute } from "./define-route.ts";

export const healthRoutes = {
  getLiveness: defineRoute({
    method: "GET",
    path: "/healthz",
    permission: "public",
    summary: "The process answers",
    responses: { 200: z.object({ status: z.literal("ok") }) },
  }),
  getReadiness: defineRoute({
    method: "GET",
    path: "/readyz",
    permission: "public",
    summary: "The process can work: its database answers and takes writes, and it is not stopping; otherwise 503",
    responses: {
      200: z.object({
        status: z.literal("ready"),
        version: z.string(),
        environment: z.string(),
        isDemo: z.boolean(),
        isUnderMaintenance: z.boolean(),
      }),
    },
  }),
  getOpenApi: defineRoute({
    method: "GET",
    path: "/openapi.json",
    permission: "public",
    summary: "This document (OpenAPI 3.1)",
    responses: { 200: z.record(z.string(), z.unknown()) },
  }),
};
