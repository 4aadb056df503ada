import { pickTexts } from "../text-search.ts";

/** `mail` is the one that is open beside the list. */
type MailSearch = { mail?: string };

export function parseMailSearch(given: Record<string, unknown>): MailSearch {
  return pickTexts(given, ["mail"]);
}
