import { Link } from "@tanstack/react-router";
import { Route } from "lucide-react";
import { useText } from "./i18n/i18n.tsx";
import { buttonClass } from "./ui/button.tsx";

/** Leads to the whole way of the business object that a message carries. */
export function WayLink({ messageId, objectKey }: { messageId: string; objectKey: string }) {
  const t = useText();
  return (
    <Link to="/queue/details/$messageId" params={{ messageId }} search={{ view: "trace" }} className={buttonClass()}>
      <Route aria-hidden className="size-4" />
      {t("trace.open", { key: objectKey })}
    </Link>
  );
}
