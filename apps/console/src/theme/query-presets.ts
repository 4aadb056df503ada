import { look, navStyles, tenantKey, themeModes, themeStyles, type Direction } from "./look.ts";

type Preset = { key: string; textOf: (value: string) => string | undefined };

const directionNames = new Map<string, Direction>([
  ["true", "rtl"],
  ["1", "rtl"],
  ["false", "ltr"],
  ["0", "ltr"],
]);

const navStyle: Preset = { key: look.nav.key, textOf: (value) => navStyles.find((known) => known === value) };
const mode: Preset = { key: look.mode.key, textOf: (value) => themeModes.find((known) => known === value) };
const style: Preset = { key: look.style.key, textOf: (value) => themeStyles.find((known) => known === value) };
const direction: Preset = { key: look.direction.key, textOf: (value) => directionNames.get(value) };

/** What an address may preset: every setting under its long and its short name, and the tenant that it is about. */
const presets = new Map<string, Preset>([
  ["layout", navStyle],
  ["nav_style", navStyle],
  ["mode", mode],
  ["theme_mode", mode],
  ["style", style],
  ["theme_style", style],
  ["rtl", direction],
  ["is_rtl", direction],
  ["active_tenant", { key: tenantKey, textOf: (value) => value || undefined }],
]);

type QueryPresets = {
  /** What to store, by key. Values that aren't valid are left out; the last valid one wins. */
  stored: Map<string, string>;
  /** The query without the presets, or null when it has none. */
  rest: string | null;
};

export function readQueryPresets(search: string): QueryPresets {
  const query = new URLSearchParams(search);
  const stored = new Map<string, string>();
  for (const [name, value] of query) {
    const preset = presets.get(name);
    const text = preset?.textOf(value);
    if (preset && text !== undefined) stored.set(preset.key, text);
  }
  const others = [...query].filter(([name]) => !presets.has(name));
  if (others.length === query.size) return { stored, rest: null };
  return { stored, rest: others.length === 0 ? "" : `?${new URLSearchParams(others)}` };
}
