import { Clock } from "lucide-react";
import { storedValue } from "../../stored-value.ts";
import type { Choice, Visit } from "./choice.ts";

type Recent = { userId: string; title: string; hint: string; visit: Visit };

const recentMax = 6;

/** The screens chosen last, of whoever chose them: another user of the browser sees none of them. */
const recent = storedValue<Recent[]>("crossdock.recent", parse, (list) => (list.length > 0 ? JSON.stringify(list) : null));

export function remember(userId: string, { title, hint = "" }: Choice, visit: Visit): void {
  const others = recentOf(recent.get(), userId).filter((one) => one.visit.href !== visit.href || one.visit.tenantCode !== visit.tenantCode);
  recent.set([{ userId, title, hint, visit }, ...others].slice(0, recentMax));
}

export function useRecent(userId: string): Choice[] {
  return recentOf(recent.use(), userId).map(({ title, hint, visit }) => ({
    id: `recent ${visit.tenantCode} ${visit.href}`,
    section: "palette.recent",
    icon: Clock,
    title,
    hint,
    action: visit,
  }));
}

function recentOf(list: Recent[], userId: string): Recent[] {
  return list.filter((one) => one.userId === userId);
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
  const { userId, title, hint, visit } = Object(value);
  const { href, tenantCode } = Object(visit);
  const areTexts = [userId, title, hint, href].every((part) => typeof part === "string");
  return areTexts && /^\/(?!\/)/.test(href) && (tenantCode === null || typeof tenantCode === "string");
}
