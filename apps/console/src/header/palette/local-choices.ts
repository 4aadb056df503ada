import { useQuery } from "@tanstack/react-query";
import { useLocation } from "@tanstack/react-router";
import { Building2, CircleUser, Languages, Link, LogOut, Mail } from "lucide-react";
import { useText, type TextKey } from "../../i18n/i18n.tsx";
import { languageNames } from "../../i18n/language-names.ts";
import { isActiveAt, itemsOf, menu, type MenuItem } from "../../layouts/menu.ts";
import { mayOpen, routeTable } from "../../routes.ts";
import { signOut, useUser } from "../../session/session.ts";
import { activeTenantCode, chooseLanguage, locale, locales, themeMode, themeModes } from "../../settings.ts";
import { addressIn } from "../../tenant-address.ts";
import { modeLooks } from "../../theme/mode-looks.ts";
import { copyText } from "../../ui/copy-button.tsx";
import { noticeError, noticeSuccess } from "../../ui/notice.tsx";
import { tenantsQuery } from "../../session/workspace.ts";
import type { Choice } from "./choice.ts";

/** Tabs of screens: what people look for by its own name. */
const tabs = [
  { of: "/mapping-list", view: "missing", title: "missing.title" },
  { of: "/mapping-list", view: "versions", title: "version.all" },
  { of: "/jobstatus-list", view: "schedules", title: "jobStatus.schedules" },
  { of: "/jobstatus-list", view: "bulk", title: "jobStatus.bulk" },
  { of: "/configuration", view: "flow", title: "flow.title" },
  { of: "/alerts", view: "rules", title: "alerts.rules" },
  { of: "/alerts", view: "channels", title: "alerts.channels" },
] as const satisfies { of: MenuItem["url"]; view: string; title: TextKey }[];

/** What the console knows without asking: screens, tenants and what can be set. */
export function useLocalChoices(): Choice[] {
  const t = useText();
  const path = useLocation({ select: ({ pathname }) => pathname });
  const user = useUser();
  // The menu is short for some roles; what they may open is found here.
  const items = itemsOf(menu).filter(({ url }) => mayOpen(user, routeTable[url]));
  const activeCode = activeTenantCode.use();
  const { data: tenants = [] } = useQuery(tenantsQuery);
  const screens = items.map(({ id, icon, title, url }): Choice => ({
    id: `screen ${id}`,
    section: "palette.screens",
    icon,
    title: t(title),
    action: { href: url, tenantCode: null },
  }));
  const account: Choice = {
    id: "screen account",
    section: "palette.screens",
    icon: CircleUser,
    title: t("account.title"),
    action: { href: "/account", tenantCode: null },
  };
  const parts = tabs.flatMap(({ of, view, title }): Choice[] => {
    const screen = items.find(({ url }) => url === of);
    if (!screen) return [];
    const action = { href: `${of}?view=${view}`, tenantCode: null };
    const id = `screen ${of} ${view}`;
    return [{ id, section: "palette.screens", icon: screen.icon, title: t(title), hint: t(screen.title), isHeldBack: true, action }];
  });
  const mails: Choice = {
    id: "screen mails",
    section: "palette.screens",
    icon: Mail,
    title: t("mails.title"),
    hint: t("menu.users"),
    isHeldBack: true,
    action: { href: "/outbox", tenantCode: null },
  };
  if (mayOpen(user, routeTable["/outbox"])) parts.push(mails);
  const others = tenants
    .filter(({ code }) => code !== activeCode)
    .map(({ code, name }): Choice => ({
      id: `tenant ${code}`,
      section: "menu.tenants",
      icon: Building2,
      title: name || code,
      hint: t("palette.activate"),
      words: code,
      action: { href: screenAt(items, path), tenantCode: code },
    }));
  return [...screens, account, ...parts, ...others, ...useActions()];
}

/** Another tenant is shown on the same screen, without the filters and details that belong to the one before. */
function screenAt(items: MenuItem[], path: string): string {
  return items.find((item) => isActiveAt(path, item))?.url ?? "/tenant-list";
}

function useActions(): Choice[] {
  const t = useText();
  const modes = themeModes
    .filter((mode) => mode !== themeMode.get())
    .map((mode): Choice => ({
      id: `mode ${mode}`,
      section: "palette.actions",
      icon: modeLooks[mode].Icon,
      title: t("palette.theme", { mode: t(modeLooks[mode].label) }),
      action: { run: () => themeMode.set(mode) },
    }));
  const languages = locales
    .filter((code) => code !== locale.get())
    .map((code): Choice => ({
      id: `language ${code}`,
      section: "palette.actions",
      icon: Languages,
      title: t("palette.language", { language: languageNames[code] }),
      words: code,
      action: { run: () => chooseLanguage(code) },
    }));
  const leave: Choice = {
    id: "logout",
    section: "palette.actions",
    icon: LogOut,
    title: t("user.logout"),
    action: { run: () => void signOut() },
  };
  const copyLink: Choice = {
    id: "copy-link",
    section: "palette.actions",
    icon: Link,
    title: t("palette.copyLink"),
    action: {
      run: () =>
        void copyText(linkToHere()).then(
          () => noticeSuccess(t("palette.linkCopied")),
          () => noticeError(t("notice.notCopied")),
        ),
    },
  };
  return [copyLink, ...modes, ...languages, leave];
}

/** The screen with its filters and what is open on it, in the tenant that it is of. */
function linkToHere(): string {
  const code = activeTenantCode.get();
  return code === null ? location.href : addressIn(code, location.href);
}
