import { useBlocker } from "@tanstack/react-router";
import { useEffect } from "react";
import { useText } from "../i18n/i18n.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";

/** The person has already agreed to leave: the other forms of the screen don't ask as well. */
let isLeaving = false;

/** Asks before what was typed is lost by going elsewhere, by closing the tab or by loading it anew. */
export function LeaveGuard() {
  const blocker = useBlocker({ shouldBlockFn: () => !isLeaving, withResolver: true });
  useEffect(
    () => () => {
      isLeaving = false;
    },
    [],
  );
  if (blocker.status !== "blocked") return null;
  const leave = (): void => {
    isLeaving = true;
    blocker.proceed();
  };
  return <LeaveQuestion onLeave={leave} onStay={blocker.reset} />;
}

/** Whether what was typed shall be lost. */
export function LeaveQuestion({ onLeave, onStay }: { onLeave: () => void; onStay: () => void }) {
  const t = useText();
  return (
    <ConfirmDialog
      title={t("configuration.leave")}
      text={t("configuration.leaveText")}
      actionLabel={t("configuration.leaveAction")}
      onConfirm={onLeave}
      onClose={onStay}
    />
  );
}
