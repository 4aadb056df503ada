import { Link } from "@tanstack/react-router";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";

type Repair = "value" | "settings" | "credentials" | "externalItem" | "document";

/** What to mend first where an error of this class would come again: to send the same anew changes nothing. */
const repairs: Partial<Record<string, Repair>> = {
  "mapping-missing": "value",
  configuration: "settings",
  template: "settings",
  warehouse: "settings",
  "price-list": "settings",
  "http-401": "credentials",
  authorization: "credentials",
  "external-gone": "externalItem",
  "http-400": "document",
  "http-422": "document",
  validation: "document",
  refused: "document",
  "shopify-errors": "document",
  fraction: "document",
  tiers: "document",
  "no-address": "document",
};

type ErrorClass = string | null | undefined;

export const repairOf = (errorClass: ErrorClass): Repair | undefined => repairs[errorClass ?? ""];

/** Of an external item the error itself says what its removal does. */
const reasonTexts: Partial<Record<Repair, TextKey>> = {
  value: "repair.value",
  settings: "repair.settings",
  credentials: "repair.credentials",
  document: "repair.document",
};

/** When a requeue helps, in a sentence; nothing where it may help at once. */
export function RepairReason({ errorClass, className = "" }: { errorClass: ErrorClass; className?: string }) {
  const t = useText();
  const repair = repairOf(errorClass);
  const text = repair && reasonTexts[repair];
  return text && <p className={`text-xs ${className}`}>{t(text)}</p>;
}

type RepairLinkProps = { errorClass: ErrorClass; pointIds: readonly number[]; objectKey?: string; className?: string };

/**
 * From a failure to the place where its cause is mended; nothing where that isn't known, is the message itself, or isn't open to the person.
 * `pointIds` are those that the messages were for, `objectKey` is what a single one carries.
 */
export function RepairLink({ errorClass, pointIds, objectKey, className = "w-fit text-primary-ink underline" }: RepairLinkProps) {
  const t = useText();
  const mayRepair = useIsPermitted("operate");
  const repair = repairOf(errorClass);
  if (repair === undefined || repair === "document" || !mayRepair) return null;
  if (repair === "value") {
    return (
      <Link to="/mapping-list" search={{ view: "missing" }} className={className}>
        {t("missing.fillIn")}
      </Link>
    );
  }
  const [pointId, ...others] = pointIds;
  const point = pointId === undefined || others.length > 0 ? {} : { point: String(pointId) };
  if (repair === "externalItem") {
    return (
      <Link to="/externalitems" search={{ ...point, ...(objectKey !== undefined && { key: objectKey }) }} className={className}>
        {t("menu.externalItems")}
      </Link>
    );
  }
  return (
    <Link to="/configuration" search={point} hash={repair} className={className}>
      {t(repair === "settings" ? "target.correctSettings" : "target.correctCredentials")}
    </Link>
  );
}
