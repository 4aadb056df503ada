import { Link } from "@tanstack/react-router";
import { Send } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { buttonClass } from "../ui/button.tsx";

/** To the toolbox, which sends a message that is done once more, as a copy and not over newer data. */
export function ResendLink({ messageId }: { messageId: string }) {
  const t = useText();
  return (
    <Link to="/toolbox" search={{ operation: "resend", message: messageId }} className={buttonClass()}>
      <Send aria-hidden className="size-4 rtl:-scale-x-100" />
      {t("toolbox.resend")}
    </Link>
  );
}
