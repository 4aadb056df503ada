import { Link } from "@tanstack/react-router";
import { Route } from "lucide-react";
import { useText } from "./i18n/i18n.tsx";
import { buttonClass } from "./ui/button.tsx";

/** Leads to the whole way of what is on the screen, which the same address shows with `view=trace`. */
export function WayLink({ objectKey }: { objectKey: string | null }) {
  const t = useText();
  return (
    <Link to="." search={(search: object) => ({ ...search, view: "trace" })} className={buttonClass()}>
      <Route aria-hidden className="size-4" />
      {objectKey === null ? t("trace.title") : t("trace.open", { key: objectKey })}
    </Link>
  );
}
