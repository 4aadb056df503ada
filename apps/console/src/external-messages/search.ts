import type { ExternalMessageState } from "@crossdock/contract";
import { entityTypes } from "../entity-types.ts";
import { pickTexts } from "../text-search.ts";

/** The filters of the screen as they stand in the address; what is absent doesn't restrict. */
export type ExternalMessageSearch = {
  subtenant?: string;
  /** Id of an integration point. */
  point?: string;
  type?: string;
  state?: string;
  time?: string;
  key?: string;
  search?: string;
};

const names = ["subtenant", "point", "type", "state", "time", "key", "search"] as const;

/** The server takes search texts of so many characters and more. */
export const searchLengthMin = 3;

export function parseExternalMessageSearch(given: Record<string, unknown>): ExternalMessageSearch {
  const { search = "", ...filters } = pickTexts(given, names);
  return search.trim().length < searchLengthMin ? filters : { ...filters, search };
}

export const states: readonly ExternalMessageState[] = ["accepted", "unchanged", "rejected", "ignored"];
/** Not a state of its own: what was removed keeps the one it had. */
export const removedState = "removed";

export const periods = ["hour", "day", "week"] as const;
export type Period = (typeof periods)[number];
const periodHours: Record<Period, number> = { hour: 1, day: 24, week: 168 };

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function externalMessageFilterOf({ subtenant, point, type, state, time, key, search }: ExternalMessageSearch, now: Date) {
  const wantedStates = states.filter((known) => known === state);
  const period = periods.find((known) => known === time);
  return {
    ...(subtenant && { subtenant }),
    ...(point && /^\d{1,9}$/.test(point) && { integrationPointId: Number(point) }),
    ...(entityTypes.some((known) => known === type) && { entityType: type }),
    ...(wantedStates.length > 0 && { state: wantedStates }),
    ...(state === removedState && { removed: "true" as const }),
    ...(key && { key }),
    ...(search && { search: search.trim() }),
    ...(period && { from: new Date(now.getTime() - periodHours[period] * 3_600_000).toISOString() }),
  };
}
