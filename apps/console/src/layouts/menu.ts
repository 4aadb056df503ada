import type { Role } from "@crossdock/contract";
import {
  ArrowLeftRight,
  BellRing,
  Boxes,
  Building2,
  FileInput,
  Gauge,
  Inbox,
  KeyRound,
  Link2,
  ListChecks,
  Network,
  RotateCcw,
  ScrollText,
  SlidersHorizontal,
  TriangleAlert,
  Users,
  Wrench,
  type LucideIcon,
} from "lucide-react";
import type { TextKey } from "../i18n/i18n.tsx";

/** What the number beside an entry counts. */
export type Badge = "retrying" | "dead" | "firing";

type Path =
  | "/tenant-list"
  | "/brightcom-dashboard"
  | "/alerts"
  | "/subtenant-list"
  | "/queue"
  | "/retryqueue"
  | "/deadletter-list"
  | "/jobstatus-list"
  | "/mapping-list"
  | "/configuration"
  | "/externalitems"
  | "/externalmessages"
  | "/entities"
  | "/toolbox"
  | "/audit-log"
  | "/users"
  | "/api-keys";

/** `auth` names the roles that see an entry; without it everybody does. */
type Entry = { id: string; title: TextKey; auth?: readonly Role[] };

export type MenuItem = Entry & {
  type: "item";
  url: Path;
  icon: LucideIcon;
  /** Screens of this item that live under another address. */
  alsoUnder?: string;
  badge?: Badge;
};
/** A titled part of the menu. */
export type MenuGroup = Entry & { type: "group"; children: MenuNode[] };
/** Entries that unfold under another one. */
export type MenuCollapse = Entry & { type: "collapse"; icon: LucideIcon; children: MenuNode[] };
type MenuDivider = { type: "divider"; id: string };
export type MenuNode = MenuItem | MenuGroup | MenuCollapse | MenuDivider;

/** The menu in its specified order. An entry appears here together with its screen. */
export const menu: MenuNode[] = [
  { type: "item", id: "tenants", url: "/tenant-list", alsoUnder: "/tenant/", title: "menu.tenants", icon: Building2 },
  { type: "item", id: "dashboard", url: "/brightcom-dashboard", title: "menu.dashboard", icon: Gauge, auth: ["admin"] },
  { type: "item", id: "subtenants", url: "/subtenant-list", alsoUnder: "/subtenant/", title: "menu.subtenants", icon: Network },
  { type: "item", id: "queue", url: "/queue", alsoUnder: "/queue/", title: "menu.queue", icon: Inbox },
  { type: "item", id: "retry-queue", url: "/retryqueue", title: "menu.retryQueue", icon: RotateCcw, badge: "retrying" },
  {
    type: "item",
    id: "dead-letters",
    url: "/deadletter-list",
    alsoUnder: "/deadletter/",
    title: "menu.deadLetters",
    icon: TriangleAlert,
    badge: "dead",
  },
  { type: "item", id: "job-status", url: "/jobstatus-list", title: "menu.jobStatus", icon: ListChecks },
  { type: "item", id: "mappings", url: "/mapping-list", title: "menu.mappings", icon: ArrowLeftRight },
  { type: "item", id: "configuration", url: "/configuration", title: "menu.configuration", icon: SlidersHorizontal, auth: ["admin"] },
  { type: "item", id: "external-items", url: "/externalitems", title: "menu.externalItems", icon: Link2 },
  {
    type: "item",
    id: "external-messages",
    url: "/externalmessages",
    alsoUnder: "/externalmessages/",
    title: "menu.externalMessages",
    icon: FileInput,
  },
  { type: "item", id: "entities", url: "/entities", title: "menu.entities", icon: Boxes, auth: ["admin"] },
  { type: "item", id: "toolbox", url: "/toolbox", title: "menu.toolbox", icon: Wrench },
  { type: "item", id: "alerts", url: "/alerts", title: "menu.alerts", icon: BellRing, badge: "firing" },
  { type: "item", id: "users", url: "/users", title: "menu.users", icon: Users, auth: ["admin"] },
  { type: "item", id: "api-keys", url: "/api-keys", title: "menu.apiKeys", icon: KeyRound, auth: ["admin"] },
  { type: "item", id: "audit-log", url: "/audit-log", title: "menu.auditLog", icon: ScrollText, auth: ["admin"] },
];

/** What someone with these roles sees: a part without an entry left is gone, and so is a divider with nothing to divide. */
export function visibleMenu(nodes: MenuNode[], roles: readonly Role[]): MenuNode[] {
  const seen = nodes.flatMap((node): MenuNode[] => {
    if (node.type === "divider") return [node];
    if (node.auth && !node.auth.some((role) => roles.includes(role))) return [];
    if (node.type === "item") return [node];
    const children = visibleMenu(node.children, roles);
    return children.length === 0 ? [] : [{ ...node, children }];
  });
  return seen.filter((node, index) => node.type !== "divider" || (isEntry(seen[index + 1]) && seen.slice(0, index).some(isEntry)));
}

function isEntry(node: MenuNode | undefined): boolean {
  return node !== undefined && node.type !== "divider";
}

/** Whether the screen at `path` belongs to the entry or, for a part of the menu, to one in it. */
export function isActiveAt(path: string, node: MenuNode): boolean {
  if (node.type === "divider") return false;
  if (node.type !== "item") return node.children.some((child) => isActiveAt(path, child));
  return path === node.url || (node.alsoUnder !== undefined && path.startsWith(node.alsoUnder));
}

/** The entries alone, in order, for a line without room for parts. */
export function itemsOf(nodes: MenuNode[]): MenuItem[] {
  return nodes.flatMap((node) => {
    if (node.type === "divider") return [];
    return node.type === "item" ? [node] : itemsOf(node.children);
  });
}
