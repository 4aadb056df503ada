import { Link } from "@tanstack/react-router";
import { useText } from "./i18n/i18n.tsx";

/** What to mend first where an error of this class would come again. */
const repairs: Partial<Record<string, "value" | "credentials">> = {
  "mapping-missing": "value",
  "http-401": "credentials",
  authorization: "credentials",
};

export const isRepairable = (errorClass: string | null | undefined): boolean => repairs[errorClass ?? ""] !== undefined;

type RepairLinkProps = { errorClass: string | null | undefined; pointIds: readonly number[]; className?: string };

/** From a failure to the place where its cause is mended; nothing where that isn't known. `pointIds` are those that the messages were for. */
export function RepairLink({ errorClass, pointIds, className = "w-fit text-primary-ink underline" }: RepairLinkProps) {
  const t = useText();
  const repair = repairs[errorClass ?? ""];
  if (repair === undefined) return null;
  if (repair === "value") {
    return (
      <Link to="/mapping-list" search={{ view: "missing" }} className={className}>
        {t("missing.fillIn")}
      </Link>
    );
  }
  const [pointId, ...others] = pointIds;
  return (
    <Link to="/configuration" search={pointId === undefined || others.length > 0 ? {} : { point: String(pointId) }} className={className}>
      {t("target.correctCredentials")}
    </Link>
  );
}
