import type { Connector, ConnectorCode, EntityType, IntegrationPoint } from "@crossdock/contract";
import type { NewPoint, PointChange } from "./operations.ts";
import type { Secrets } from "./secret-fields.tsx";

/** An integration point as it stands in the form. */
export type Draft = {
  subtenantCode: string;
  connector: ConnectorCode | "";
  code: string;
  name: string;
  environment: IntegrationPoint["environment"];
  direction: IntegrationPoint["direction"];
  deliveryMode: IntegrationPoint["deliveryMode"];
  entityTypes: EntityType[];
  settings: Record<string, unknown>;
  secrets: Secrets;
  retry: IntegrationPoint["retry"];
  ratePerSecond: number | null;
  concurrency: number;
  isActive: boolean;
  reason: string;
};

export function blankDraft(subtenantCode: string): Draft {
  return {
    subtenantCode,
    connector: "",
    code: "",
    name: "",
    environment: "production",
    direction: "target",
    deliveryMode: "push",
    entityTypes: [],
    settings: {},
    secrets: {},
    retry: { maxAttempts: 12, baseDelayMs: 2_000, maxDelayMs: 3_600_000 },
    ratePerSecond: null,
    concurrency: 8,
    isActive: true,
    reason: "",
  };
}

export function draftOf(point: IntegrationPoint): Draft {
  const { subtenantCode, connector, code, name, environment, direction, deliveryMode, entityTypes, settings } = point;
  const { retry, ratePerSecond, concurrency, isActive } = point;
  const identity = { subtenantCode, connector, code, name, environment, direction, deliveryMode, entityTypes };
  return { ...identity, settings, secrets: {}, retry, ratePerSecond, concurrency, isActive, reason: "" };
}

/** Pausing is a version of its own, which changes nothing that the form has. */
export function isPauseOnly(base: IntegrationPoint, next: IntegrationPoint): boolean {
  const isToggled = next.version === base.version + 1 && next.isPaused !== base.isPaused;
  return isToggled && JSON.stringify(draftOf(next)) === JSON.stringify(draftOf(base));
}

/** Entity types that a connector has an endpoint for. */
export function entityTypesOf(connector: Connector | undefined, all: readonly EntityType[]): EntityType[] {
  return all.filter((type) => connector?.endpoints.some(({ entityType }) => entityType === type) ?? false);
}

/** Null while something is missing. */
export function newPointOf(draft: Draft): NewPoint | null {
  const { subtenantCode, connector, code, name, environment, entityTypes } = draft;
  if (connector === "" || subtenantCode === "" || code === "" || name.trim() === "" || entityTypes.length === 0) return null;
  const { direction, deliveryMode, settings, secrets, retry, ratePerSecond, concurrency } = draft;
  return {
    subtenantCode,
    connector,
    code,
    name,
    environment,
    direction,
    deliveryMode,
    entityTypes,
    settings,
    credentials: givenSecrets(secrets),
    retry,
    ratePerSecond,
    concurrency,
  };
}

export function changeOf(draft: Draft): PointChange {
  const { name, direction, deliveryMode, entityTypes, settings, secrets, retry, ratePerSecond, concurrency, isActive, reason } = draft;
  return {
    name,
    direction,
    deliveryMode,
    entityTypes,
    settings,
    retry,
    ratePerSecond,
    concurrency,
    isActive,
    ...(Object.keys(secrets).length > 0 && { secrets }),
    ...(reason.trim() !== "" && { reason: reason.trim() }),
  };
}

/** Those with a value, for a system that has none yet. */
export function givenSecrets(secrets: Secrets): Record<string, string> {
  return Object.fromEntries(Object.entries(secrets).filter((pair): pair is [string, string] => pair[1] !== null));
}
