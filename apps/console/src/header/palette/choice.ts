import type { MessageState } from "@crossdock/contract";
import type { LucideIcon } from "lucide-react";
import type { TextKey } from "../../i18n/i18n.tsx";
import { hasWords } from "../../ui/find.ts";

/** One line of the palette. */
export type Choice = {
  /** Unique among all that is listed at once. */
  id: string;
  section: TextKey;
  icon: LucideIcon;
  title: string;
  /** Of a message: what it is by now. */
  state?: MessageState;
  hint?: string;
  /** Further words by which it is found. */
  words?: string;
  /** Whether it is shown only when it is looked for or was chosen lately, as the list would be too long. */
  isHeldBack?: boolean;
  /** What it does. Null: it can only be read. */
  action: Visit | { run: () => void } | null;
};

/** A screen to go to; of a tenant, which becomes the active one. */
export type Visit = { href: string; tenantCode: string | null };

/** Sections in the order in which they are shown. */
const sections = [
  "palette.recent",
  "palette.screens",
  "menu.tenants",
  "trace.title",
  "messages.title",
  "palette.keys",
  "menu.subtenants",
  "subtenants.integrationPoints",
  "palette.actions",
  "filter.search",
] as const satisfies TextKey[];

/** Those of the choices in which every typed word occurs. */
export function matching(choices: Choice[], text: string): Choice[] {
  return choices.filter(({ title, hint, words }) => hasWords([title, hint, words].join(" "), text));
}

/** In the order of the sections; of each, the choices as they come. */
export function inOrder(choices: Choice[]): Choice[] {
  return sections.flatMap((section) => choices.filter((choice) => choice.section === section));
}
