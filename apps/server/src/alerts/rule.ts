import type { AlertDetails, AlertKind, EntityType } from "@crossdock/contract";

/** A rule as the watch needs it. */
export type Rule = {
  id: number;
  kind: AlertKind;
  threshold: number;
  windowSeconds: number;
  forSeconds: number;
  recoverSeconds: number;
  subtenantId: number | null;
  queueId: number | null;
  entityType: EntityType | null;
  ownerId: number | null;
};

/** That a rule's condition holds for an object at this moment. */
export type Finding = { object: string; value: number; subtenantId: number | null; queueId: number | null; details: AlertDetails };
