import { Link } from "@tanstack/react-router";
import { ArchiveRestore } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";

/** Leads to the removed messages of the same subtenant and queue, from where they are restored. */
export function RemovedLink({ subtenant = "", queue = "" }: { subtenant?: string | undefined; queue?: string | undefined }) {
  const t = useText();
  return (
    <Link to="/queue" search={{ state: "removed", subtenant, queue }} className={buttonClass()}>
      <ArchiveRestore aria-hidden className="size-4" />
      {t("message.state.removed")}
    </Link>
  );
}
