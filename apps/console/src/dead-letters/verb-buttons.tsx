import { FilePen, Forward, RotateCcw, Trash2 } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../role-texts.ts";
import { Button } from "../ui/button.tsx";

export type Verb = "requeue" | "patch" | "redirect" | "remove";

/** What can be done with dead letters, whether they were chosen or are of one cause. */
export function VerbButtons({ onAct }: { onAct: (verb: Verb) => void }) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  return (
    <>
      <Button look="primary" disabledReason={disabledReason} onClick={() => onAct("requeue")}>
        <RotateCcw aria-hidden className="size-4" />
        {t("action.requeue")}
      </Button>
      <Button disabledReason={disabledReason} onClick={() => onAct("patch")}>
        <FilePen aria-hidden className="size-4" />
        {t("patch.action")}
      </Button>
      <Button disabledReason={disabledReason} onClick={() => onAct("redirect")}>
        <Forward aria-hidden className="size-4 rtl:-scale-x-100" />
        {t("action.redirect")}
      </Button>
      <Button look="danger" disabledReason={disabledReason} onClick={() => onAct("remove")}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
    </>
  );
}
