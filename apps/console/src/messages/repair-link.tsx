import { Link } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { useIsPermitted } from "../session/session.ts";

/** What to mend first where an error of this class would come again. */
const repairs: Partial<Record<string, "value" | "credentials">> = {
  "mapping-missing": "value",
  "http-401": "credentials",
  authorization: "credentials",
};

export const isRepairable = (errorClass: string | null | undefined): boolean => repairs[errorClass ?? ""] !== undefined;

type RepairLinkProps = { errorClass: string | null | undefined; pointIds: readonly number[]; className?: string };

/**
 * From a failure to the place where its cause is mended; nothing where that isn't known, or isn't open to the person. `pointIds` are those that
 * the messages were for.
 */
export function RepairLink({ errorClass, pointIds, className = "w-fit text-primary-ink underline" }: RepairLinkProps) {
  const t = useText();
  const mayOpenConfiguration = useIsPermitted("operate");
  const repair = repairs[errorClass ?? ""];
  if (repair === undefined || (repair === "credentials" && !mayOpenConfiguration)) return null;
  if (repair === "value") {
    return (
      <Link to="/mapping-list" search={{ view: "missing" }} className={className}>
        {t("missing.fillIn")}
      </Link>
    );
  }
  const [pointId, ...others] = pointIds;
  return (
    <Link
      to="/configuration"
      search={pointId === undefined || others.length > 0 ? {} : { point: String(pointId) }}
      hash="credentials"
      className={className}
    >
      {t("target.correctCredentials")}
    </Link>
  );
}
