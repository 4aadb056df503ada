import type { AnswerOf, Routes } from "@crossdock/contract";
import { useQuery } from "@tanstack/react-query";
import { Contrast, Menu, Moon, Sun, WifiOff } from "lucide-react";
import { ApiError, readProblem } from "../api.ts";
import { useText, type TextKey } from "../i18n/i18n.tsx";
import { useIsLive } from "../live.ts";
import { themeMode, themeModes, type ThemeMode } from "../settings.ts";
import { IconButton } from "../ui/button.tsx";
import { Chip } from "../ui/chip.tsx";
import { LanguageSelect } from "./language-select.tsx";

type Readiness = AnswerOf<Routes["getReadiness"]>;

/** Which installation this is; it doesn't change while the console runs. */
const environmentQuery = {
  queryKey: ["environment"],
  queryFn: async (): Promise<Readiness> => {
    const response = await fetch("/readyz");
    if (!response.ok) throw new ApiError(await readProblem(response));
    return response.json();
  },
  staleTime: Infinity,
};

const environmentNames: Record<string, string> = { Development: "localhost", Production: "prod" };

const modeLooks: Record<ThemeMode, { label: TextKey; icon: typeof Sun }> = {
  light: { label: "theme.light", icon: Sun },
  "semi-dark": { label: "theme.semiDark", icon: Contrast },
  dark: { label: "theme.dark", icon: Moon },
};

export function Header({ onOpenMenu }: { onOpenMenu: () => void }) {
  const t = useText();
  return (
    <header className="flex h-(--header-height) shrink-0 items-center gap-2 border-b border-line bg-paper px-3 sm:px-5">
      <IconButton label={t("header.openMenu")} onClick={onOpenMenu} className="xl:hidden">
        <Menu aria-hidden className="size-5" />
      </IconButton>
      <Environment />
      <Connection />
      <div className="ms-auto flex items-center gap-1">
        <ModeSwitch />
        <LanguageSelect />
      </div>
    </header>
  );
}

function Environment() {
  const t = useText();
  const { data } = useQuery(environmentQuery);
  if (!data) return null;
  return (
    <span title={t("header.environment")} className="truncate rounded-full border border-line px-3 py-1 text-xs font-medium text-muted">
      {environmentNames[data.environment] ?? data.environment}
    </span>
  );
}

function Connection() {
  const t = useText();
  const isLive = useIsLive();
  return (
    <span role="status" className="min-w-0">
      {!isLive && (
        <Chip tone="warn">
          <WifiOff aria-hidden className="me-1.5 inline size-3.5" />
          {t("header.reconnecting")}
        </Chip>
      )}
    </span>
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
