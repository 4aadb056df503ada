import { connectors } from "@crossdock/connectors";
import type { ConnectorCode, IntegrationPoint } from "@crossdock/contract";
import type { z } from "zod";
import { ApiError } from "../errors/errors.ts";
import { faultBecause, faultsOf } from "../errors/faults.ts";

/** The settings as the connector's schema reads them, defaults filled in. Throws validation-failed with the paths at fault. */
export function checkSettings(connector: ConnectorCode, settings: Record<string, unknown>): Record<string, unknown> {
  return check("settings", servedBy(connector, settings).settingsSchema, settings);
}

/** Throws validation-failed where nothing would come from it, and nothing go to it. */
export function checkTypes({ sourceTypes, targetTypes }: Pick<IntegrationPoint, "sourceTypes" | "targetTypes">): void {
  if (sourceTypes.length + targetTypes.length === 0)
    throw new ApiError("validation-failed", { errors: [faultBecause("body/targetTypes", "types-none")] });
}

/** Where a code stands for two connectors, `settings` decide which one is meant. */
export function checkCredentials(
  connector: ConnectorCode,
  credentials: Record<string, unknown>,
  settings: Record<string, unknown>,
): Record<string, unknown> {
  return check("credentials", servedBy(connector, settings).credentialsSchema, credentials);
}

function servedBy(code: ConnectorCode, settings: Record<string, unknown>) {
  const connector = connectors[code];
  return connector.servedBy?.(settings) ?? connector;
}

function check(part: string, schema: z.ZodObject, value: Record<string, unknown>): Record<string, unknown> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const errors = faultsOf(result.error.issues, (path) => ["body", part, ...path].map(String).join("/"));
  throw new ApiError("validation-failed", { errors });
}
