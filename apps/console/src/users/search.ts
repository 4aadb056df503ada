import { pickTexts } from "../text-search.ts";

/** The filters of the screen as they stand in the address; `user` is the person that is open beside the list. */
export type UserSearch = { search?: string; role?: string; state?: string; tenant?: string; user?: string };

export function parseUserSearch(given: Record<string, unknown>): UserSearch {
  return pickTexts(given, ["search", "role", "state", "tenant", "user"]);
}
