import { Contrast, Moon, Sun, type LucideIcon } from "lucide-react";
import type { TextKey } from "../i18n/i18n.tsx";
import type { ThemeMode } from "./look.ts";

/** How the modes are called and drawn where one is chosen. */
export const modeLooks: Record<ThemeMode, { label: TextKey; Icon: LucideIcon }> = {
  light: { label: "theme.light", Icon: Sun },
  "semi-dark": { label: "theme.semiDark", Icon: Contrast },
  dark: { label: "theme.dark", Icon: Moon },
};
