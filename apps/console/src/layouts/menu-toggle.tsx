import { PanelLeftClose, PanelLeftOpen } from "lucide-react";
import { useText } from "../i18n/i18n.tsx";
import { isMenuCollapsed } from "../settings.ts";
import { IconButton } from "../ui/button.tsx";

/** Switches between the whole sidebar and its icons, with which the layout starts. */
export function MenuToggle() {
  const t = useText();
  const isCollapsed = isMenuCollapsed.use() ?? true;
  const Icon = isCollapsed ? PanelLeftOpen : PanelLeftClose;
  return (
    <IconButton
      label={t(isCollapsed ? "sidebar.expand" : "sidebar.collapse")}
      aria-expanded={!isCollapsed}
      onClick={() => isMenuCollapsed.set(!isCollapsed)}
    >
      <Icon aria-hidden className="size-5 rtl:-scale-x-100" />
    </IconButton>
  );
}
