import { Inbox } from "lucide-react";
import { expect, test } from "vitest";
import { isActiveAt, itemsOf, menu, visibleMenu, type MenuNode } from "./menu.ts";

const item = (id: string, more: object = {}): MenuNode => ({
  type: "item",
  id,
  url: "/queue",
  title: "menu.queue",
  icon: Inbox,
  ...more,
});
const divider = (id: string): MenuNode => ({ type: "divider", id });
const part = (type: "group" | "collapse", id: string, children: MenuNode[], more: object = {}): MenuNode => ({
  type,
  id,
  title: "menu.queue",
  icon: Inbox,
  children,
  ...more,
});
const idsOf = (nodes: MenuNode[]): string[] => nodes.map(({ id }) => id);
const adminOnly = { auth: ["admin"] };

test("an entry with roles shows to whoever has one of them, an entry without to everybody", () => {
  const nodes = [item("all"), item("admins", adminOnly)];
  expect(idsOf(visibleMenu(nodes, ["user", "admin"]))).toEqual(["all", "admins"]);
  expect(idsOf(visibleMenu(nodes, ["user"]))).toEqual(["all"]);
  expect(idsOf(visibleMenu(nodes, []))).toEqual(["all"]);
});

test("roles reach into groups and what unfolds, and a part goes with its last entry", () => {
  const nodes = [
    part("group", "g", [item("in-group", adminOnly), part("collapse", "c", [item("in-collapse")])]),
    part("group", "empty", [item("x", adminOnly)]),
  ];
  expect(idsOf(visibleMenu(nodes, ["viewer"]))).toEqual(["g"]);
  expect(idsOf(itemsOf(visibleMenu(nodes, ["viewer"])))).toEqual(["in-collapse"]);
  expect(idsOf(itemsOf(visibleMenu(nodes, ["admin"])))).toEqual(["in-group", "in-collapse", "x"]);
  expect(visibleMenu([part("collapse", "c", [item("in")], adminOnly)], ["user"])).toEqual([]);
});

test("a divider stands between two entries or not at all", () => {
  const nodes = [
    divider("first"),
    divider("second"),
    item("a"),
    divider("middle"),
    item("b", adminOnly),
    divider("doubled"),
    item("c"),
    divider("last"),
  ];
  expect(idsOf(visibleMenu(nodes, ["admin"]))).toEqual(["a", "middle", "b", "doubled", "c"]);
  expect(idsOf(visibleMenu(nodes, ["user"]))).toEqual(["a", "doubled", "c"]);
});

test("an entry is active on its screen, on those under it, and nowhere else", () => {
  const queue = item("queue", { alsoUnder: "/queue/" });
  expect(isActiveAt("/queue", queue)).toBe(true);
  expect(isActiveAt("/queue/details/1", queue)).toBe(true);
  expect(isActiveAt("/queues", queue)).toBe(false);
  expect(isActiveAt("/queue/details/1", part("collapse", "c", [queue]))).toBe(true);
  expect(isActiveAt("/queue", divider("d"))).toBe(false);
});

test("entries keep the specified order, and no screen has two", () => {
  const specified = [
    "/tenant-list",
    "/brightcom-dashboard",
    "/subtenant-list",
    "/queue",
    "/retryqueue",
    "/deadletter-list",
    "/jobstatus-list",
    "/mapping-list",
    "/configuration",
    "/externalitems",
    "/externalmessages",
    "/entities",
    "/toolbox",
    // Not specified, so after what is.
    "/alerts",
    "/users",
    "/api-keys",
    "/audit-log",
  ];
  const urls: string[] = itemsOf(visibleMenu(menu, ["admin"])).map(({ url }) => url);
  expect(urls).toEqual(specified.filter((path) => urls.includes(path)));
  expect(new Set(urls).size).toBe(urls.length);
});
