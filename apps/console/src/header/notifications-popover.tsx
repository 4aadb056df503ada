import { Bell, BellOff } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { HeaderPopover, PopoverEmpty, PopoverTitle } from "./header-popover.tsx";

/** Alerts: conditions that need a person. Nothing raises any yet. */
export function NotificationsPopover() {
  const t = useText();
  return (
    <HeaderPopover label={t("notifications.title")} trigger={<Bell aria-hidden className="size-5" />}>
      {() => (
        <>
          <PopoverTitle>{t("notifications.title")}</PopoverTitle>
          <PopoverEmpty icon={<BellOff aria-hidden className="size-8" strokeWidth={1.4} />}>{t("notifications.none")}</PopoverEmpty>
        </>
      )}
    </HeaderPopover>
  );
}
