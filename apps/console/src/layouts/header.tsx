import { Link } from "@tanstack/react-router";
import { Building2, Contrast, Moon, Sun } from "lucide-react";
import type { ReactNode } from "react";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useUser } from "../session.ts";
import { themeMode, themeModes, type ThemeMode } from "../settings.ts";
import { useActiveTenant } from "../workspace.ts";
import { Connection, Environment } from "./environment.tsx";
import { LanguageSelect } from "./language-select.tsx";
import type { Layout } from "./layouts.ts";
import { UserBlock } from "./user-block.tsx";

const modeLooks: Record<ThemeMode, { label: TextKey; icon: typeof Sun }> = {
  light: { label: "theme.light", icon: Sun },
  "semi-dark": { label: "theme.semiDark", icon: Contrast },
  dark: { label: "theme.dark", icon: Moon },
};

/** `start` is what the layout puts first: the logo, or what opens the menu. */
export function Header({ layout, start }: { layout: Layout; start: ReactNode }) {
  const user = useUser();
  const width = layout.scrolls === "page" ? "mx-auto max-w-(--page-width)" : "";
  const isMenuInSight = layout.menu !== "drawer" && layout.menu !== "strip";
  return (
    <header data-ground={layout.headerGround} className="h-(--header-height) shrink-0 border-b border-line">
      <div className={`flex h-full items-center gap-2 px-3 sm:px-5 ${width}`}>
        {start}
        <div className="ms-2 flex min-w-0 items-center gap-2">
          <Environment />
          {!isMenuInSight && <ActiveTenant />}
          <Connection />
        </div>
        <div className="ms-auto flex items-center gap-1">
          <ModeSwitch />
          <LanguageSelect />
          {user && layout.user === "header" && <UserBlock user={user} />}
        </div>
      </div>
    </header>
  );
}

/** Whose data the screens show, where no sidebar tells; the way to another one. */
function ActiveTenant() {
  const t = useText();
  const tenant = useActiveTenant();
  return (
    <Link
      to="/tenant-list"
      title={t("sidebar.tenant")}
      className="hidden h-9 min-w-0 items-center gap-2 rounded-full px-3 font-medium hover:bg-hover sm:flex"
    >
      <Building2 aria-hidden className="size-4.5 shrink-0" strokeWidth={1.8} />
      <span className="truncate">{tenant ? tenant.name || tenant.code : t("sidebar.noTenant")}</span>
    </Link>
  );
}
function ModeSwitch() {
  const t = useText();
  const current = themeMode.use();
  return (
    <div role="radiogroup" aria-label={t("theme.label")} className="flex rounded-full border border-line p-0.5">
      {themeModes.map((mode) => {
        const { label, icon: Icon } = modeLooks[mode];
        return (
          <label
            key={mode}
            title={t(label)}
            className="grid size-8 place-items-center rounded-full text-muted hover:bg-hover has-checked:bg-primary-soft has-checked:text-primary-ink has-focus-visible:outline-2"
          >
            <input
              type="radio"
              name="theme-mode"
              aria-label={t(label)}
              checked={mode === current}
              onChange={() => themeMode.set(mode)}
              className="sr-only"
            />
            <Icon aria-hidden className="size-4" />
          </label>
        );
      })}
    </div>
  );
}
