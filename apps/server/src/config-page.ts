import { foreignNames, settings } from "./settings.ts";

/** The text of docs/configuration.md. `npm run check` compares it with the file. */
export function configurationPage(): string {
  const rows = Object.entries(settings).map(([name, { default: fallback, description }]) => {
    const shown = fallback === null ? "" : fallback === "" ? "(empty)" : `\`${fallback}\``;
    return `| \`${name}\` | ${shown} | ${description} |`;
  });
  return [
    "# Configuration",
    "",
    "All settings are environment variables, read once at start. A wrong value stops the start with the setting's name and the reason, and so does",
    "a name that starts with `CROSSDOCK_` and is not on this page.",
    "",
    "This page is generated from `apps/server/src/settings.ts` by `npm run pages`.",
    "",
    "| setting | default | meaning |",
    "|---|---|---|",
    ...rows,
    "",
    "These are no settings. The server lets them pass and does not read them:",
    "",
    ...Object.entries(foreignNames).map(([name, purpose]) => `- \`${name}\`: ${purpose}`),
    "",
  ].join("\n");
}
