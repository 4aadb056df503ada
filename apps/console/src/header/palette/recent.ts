import { Clock } from "lucide-react";
import { storedValue } from "../../stored-value.ts";
import type { Choice, Visit } from "./choice.ts";

type Recent = { userId: string; id: string; title: string; hint: string; visit: Visit };

const recentMax = 6;
const prefix = "recent ";

/** What was chosen last, of whoever chose it: another user of the browser sees none of it. */
const recent = storedValue<Recent[]>("crossdock.recent", parse, (list) => (list.length > 0 ? JSON.stringify(list) : null));

export function remember(userId: string, { id, title, hint = "" }: Choice, visit: Visit): void {
  const chosen = { userId, id: id.replace(prefix, ""), title, hint, visit };
  const others = recent.get().filter((one) => one.userId === userId && one.id !== chosen.id);
  recent.set([chosen, ...others].slice(0, recentMax));
}

/** The recent ones among `known`, in today's words, and those that were found in the active tenant. */
export function useRecent(userId: string, known: Choice[], activeTenantCode: string | null): Choice[] {
  return recent.use().flatMap((one): Choice[] => {
    if (one.userId !== userId) return [];
    const choice = known.find(({ id }) => id === one.id) ?? (one.visit.tenantCode === activeTenantCode ? toChoice(one) : null);
    return choice ? [{ ...choice, id: `${prefix}${one.id}`, section: "palette.recent" }] : [];
  });
}

function toChoice({ id, title, hint, visit }: Recent): Choice | null {
  // Known ones that are gone: a screen that the role lost, the tenant that is active already.
  if (/^(screen|tenant) /.test(id)) return null;
  return { id, section: "palette.recent", icon: Clock, title, hint, action: visit };
}

/** What is stored may come from an older console, or from somebody's hand. */
function parse(text: string | null): Recent[] {
  try {
    const list: unknown = JSON.parse(text ?? "[]");
    return Array.isArray(list) ? list.filter(isRecent) : [];
  } catch {
    return [];
  }
}

function isRecent(value: unknown): value is Recent {
  const { userId, id, title, hint, visit } = Object(value);
  const { href, tenantCode } = Object(visit);
  const areTexts = [userId, id, title, hint, href].every((part) => typeof part === "string");
  return areTexts && /^\/(?!\/)/.test(href) && (tenantCode === null || typeof tenantCode === "string");
}
