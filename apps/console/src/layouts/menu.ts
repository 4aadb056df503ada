import { Building2, Inbox, Network, RotateCcw, TriangleAlert, type LucideIcon } from "lucide-react";
import type { TextKey } from "../i18n/i18n.tsx";

/** What the number beside an entry counts. */
export type Badge = "retrying" | "dead";

export type MenuItem = {
  url: "/tenant-list" | "/subtenant-list" | "/queue" | "/retryqueue" | "/deadletter-list";
  /** Screens of this item that live under another address. */
  alsoUnder: string[];
  title: TextKey;
  icon: LucideIcon;
  badge?: Badge;
};

/** The menu in its specified order. An entry appears here together with its screen. */
export const menu: MenuItem[] = [
  { url: "/tenant-list", alsoUnder: ["/tenant/"], title: "menu.tenants", icon: Building2 },
  { url: "/subtenant-list", alsoUnder: [], title: "menu.subtenants", icon: Network },
  { url: "/queue", alsoUnder: ["/queue/"], title: "menu.queue", icon: Inbox },
  { url: "/retryqueue", alsoUnder: [], title: "menu.retryQueue", icon: RotateCcw, badge: "retrying" },
  { url: "/deadletter-list", alsoUnder: ["/deadletter/"], title: "menu.deadLetters", icon: TriangleAlert, badge: "dead" },
];
