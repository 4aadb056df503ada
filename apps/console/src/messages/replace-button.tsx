import type { MessageDetails, MessageState } from "@crossdock/contract";
import { SquarePen } from "lucide-react";
import { Suspense, useState } from "react";
import { lazyPart } from "../lazy-screen.ts";
import { useText } from "../i18n/i18n.tsx";
import { useRoleReason } from "../session/role-texts.ts";
import { Button, type ButtonLook } from "../ui/button.tsx";

const ReplaceDialog = lazyPart(() => import("./replace-dialog.tsx"));

const replaceable: MessageState[] = ["ready", "retrying", "parked", "dead", "removed"];

/** The way to another document or another target, for a message that nobody has in hand. */
export function ReplaceButton({ tenantCode, message, look }: { tenantCode: string; message: MessageDetails; look: ButtonLook }) {
  const t = useText();
  const [isOpen, setIsOpen] = useState(false);
  const disabledReason = useRoleReason("operate");
  if (!replaceable.includes(message.state) && !isOpen) return null;
  return (
    <>
      <Button look={look} disabledReason={disabledReason} onClick={() => setIsOpen(true)}>
        <SquarePen aria-hidden className="size-4" />
        {t("replace.open")}
      </Button>
      <Suspense fallback={null}>
        {isOpen && <ReplaceDialog tenantCode={tenantCode} message={message} onClose={() => setIsOpen(false)} />}
      </Suspense>
    </>
  );
}
