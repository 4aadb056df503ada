import { Link } from "@tanstack/react-router";
import { useText } from "./i18n/i18n.tsx";

/** Sent again, it would fail again: its value has to be filled in before. */
export function wantsValue(errorClass: string | null | undefined): boolean {
  return errorClass === "mapping-missing";
}

/** From a failure for want of a mapping to the place where the value is filled in. */
export function MissingValueLink({ className = "w-fit text-primary-ink underline" }: { className?: string }) {
  const t = useText();
  return (
    <Link to="/mapping-list" search={{ view: "missing" }} className={className}>
      {t("missing.fillIn")}
    </Link>
  );
}
