import { Link } from "@tanstack/react-router";
import { useText } from "./i18n/i18n.tsx";

/** From a failure for want of a mapping to the place where the value is filled in; nothing where it failed of something else. */
export function MissingValueLink({ errorClass }: { errorClass: string | null | undefined }) {
  const t = useText();
  if (errorClass !== "mapping-missing") return null;
  return (
    <Link to="/mapping-list" search={{ view: "missing" }} className="w-fit text-primary-ink underline">
      {t("missing.fillIn")}
    </Link>
  );
}
