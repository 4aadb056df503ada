import { useBlocker } from "@tanstack/react-router";
import { useText } from "../i18n/i18n.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";

/** Asks before what was typed is lost by going elsewhere, by closing the tab or by loading it anew. */
export function LeaveGuard() {
  const t = useText();
  const blocker = useBlocker({ shouldBlockFn: () => true, withResolver: true });
  if (blocker.status !== "blocked") return null;
  return (
    <ConfirmDialog
      title={t("configuration.leave")}
      text={t("configuration.leaveText")}
      actionLabel={t("configuration.leaveAction")}
      isBusy={false}
      onConfirm={blocker.proceed}
      onClose={blocker.reset}
    />
  );
}
