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
  deliveryMode: IntegrationPoint["deliveryMode"];
  sourceTypes: EntityType[];
  targetTypes: EntityType[];
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
    deliveryMode: "push",
    sourceTypes: [],
    targetTypes: [],
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
  const { subtenantCode, connector, code, name, environment, deliveryMode, sourceTypes, targetTypes, settings } = point;
  const { retry, ratePerSecond, concurrency, isActive } = point;
  const identity = { subtenantCode, connector, code, name, environment, deliveryMode, sourceTypes, targetTypes };
  return { ...identity, settings, secrets: {}, retry, ratePerSecond, concurrency, isActive, reason: "" };
}

/** Pausing is a version of its own, which changes nothing that the form has. */
export function isPauseOnly(base: IntegrationPoint, next: IntegrationPoint): boolean {
  const isToggled = next.version === base.version + 1 && next.isPaused !== base.isPaused;
  return isToggled && JSON.stringify(draftOf(next)) === JSON.stringify(draftOf(base));
}

/** Of some type it was sent nothing before. */
export function takesMore(before: IntegrationPoint, after: IntegrationPoint): boolean {
  return after.isActive && after.targetTypes.some((type) => !before.isActive || !before.targetTypes.includes(type));
}

/** Entity types that a connector has an endpoint for. */
export function entityTypesOf(connector: Connector | undefined, all: readonly EntityType[]): EntityType[] {
  return all.filter((type) => connector?.endpoints.some(({ entityType }) => entityType === type) ?? false);
}

/** Another integration point that is source and target of types of which this one is both, too. */
export type Rival = { id: number; name: string; types: EntityType[] };

/** Each would bring back what the other wrote. Real data may feed a test system; test data reaches no real one. */
export function rivalsOf(draft: Draft, id: number | undefined, points: readonly IntegrationPoint[]): Rival[] {
  const isBoth = (point: Pick<Draft, "sourceTypes" | "targetTypes">, type: EntityType) =>
    point.sourceTypes.includes(type) && point.targetTypes.includes(type);
  return points
    .filter(
      (point) =>
        point.id !== id && point.isActive && point.subtenantCode === draft.subtenantCode && point.environment === draft.environment,
    )
    .map((point) => ({
      id: point.id,
      name: point.name,
      types: draft.sourceTypes.filter((type) => isBoth(draft, type) && isBoth(point, type)),
    }))
    .filter(({ types }) => types.length > 0);
}

/** Null while something is missing. */
export function newPointOf(draft: Draft): NewPoint | null {
  const { subtenantCode, connector, code, name, environment, sourceTypes, targetTypes } = draft;
  const isNothing = sourceTypes.length + targetTypes.length === 0;
  if (connector === "" || subtenantCode === "" || code === "" || name.trim() === "" || isNothing) return null;
  const { deliveryMode, settings, secrets, retry, ratePerSecond, concurrency } = draft;
  return {
    subtenantCode,
    connector,
    code,
    name,
    environment,
    deliveryMode,
    sourceTypes,
    targetTypes,
    settings,
    credentials: givenSecrets(secrets),
    retry,
    ratePerSecond,
    concurrency,
  };
}

export function changeOf(draft: Draft): PointChange {
  const { name, deliveryMode, sourceTypes, targetTypes, settings, secrets, retry, ratePerSecond, concurrency, isActive, reason } = draft;
  return {
    name,
    deliveryMode,
    sourceTypes,
    targetTypes,
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
