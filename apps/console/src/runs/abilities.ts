import type { Connector, IntegrationPoint } from "@crossdock/contract";

type Kind = Pick<Connector, "code" | "kind" | "pulls" | "lists" | "settingsSchema">;

/** The entity types that an integration point can be asked for, and those that it can be read back for. */
export function abilitiesOf(
  connectors: readonly Kind[],
  { connector: own, settings }: Pick<IntegrationPoint, "connector" | "settings">,
): { pulls: string[]; lists: string[] } {
  const connector = connectors.find(({ code }) => code === own);
  const required = connector?.settingsSchema["required"];
  // Without what a native connector has to know of its system, the generic one serves the point.
  const isNative = connector?.kind === "native" && Array.isArray(required) && required.every((name) => name in settings);
  return isNative ? connector : { pulls: [], lists: Object.keys(settings["list"] ?? {}) };
}
