import { FilePen, Forward, RotateCcw, Trash2 } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button, type ButtonLook } from "../ui/button.tsx";

export type Verb = "requeue" | "patch" | "redirect" | "remove";

type ButtonsProps = { onAct: (verb: Verb) => void; className?: string };

/** What can be done with dead letters, whether they were chosen or are of one cause. */
export function VerbButtons({ onAct }: ButtonsProps) {
  return (
    <>
      <RequeueButton onAct={onAct} />
      <PatchButton onAct={onAct} />
      <OtherVerbs onAct={onAct} />
    </>
  );
}

export function RequeueButton({ onAct, look = "primary" }: ButtonsProps & { look?: ButtonLook }) {
  const t = useText();
  return (
    <Button look={look} disabledReason={useRoleReason("operate")} onClick={() => onAct("requeue")}>
      <RotateCcw aria-hidden className="size-4" />
      {t("action.requeue")}
    </Button>
  );
}

export function PatchButton({ onAct, look = "quiet", className = "" }: ButtonsProps & { look?: ButtonLook }) {
  const t = useText();
  return (
    <Button look={look} className={className} disabledReason={useRoleReason("operate")} onClick={() => onAct("patch")}>
      <FilePen aria-hidden className="size-4" />
      {t("patch.action")}
    </Button>
  );
}

export function OtherVerbs({ onAct, className = "" }: ButtonsProps) {
  const t = useText();
  const disabledReason = useRoleReason("operate");
  return (
    <>
      <Button className={className} disabledReason={disabledReason} onClick={() => onAct("redirect")}>
        <Forward aria-hidden className="size-4 rtl:-scale-x-100" />
        {t("action.redirect")}
      </Button>
      <Button look="danger" className={className} disabledReason={disabledReason} onClick={() => onAct("remove")}>
        <Trash2 aria-hidden className="size-4" />
        {t("action.remove")}
      </Button>
    </>
  );
}
