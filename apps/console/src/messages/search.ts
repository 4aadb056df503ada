import type { MessageState } from "@crossdock/contract";
import { pickTexts } from "../text-search.ts";

/** The filters of the queue screen as they stand in the address; what is absent doesn't restrict. */
export type QueueSearch = {
  subtenant?: string;
  queue?: string;
  search?: string;
  source?: string;
  state?: string;
  key?: string;
  time?: string;
  /** The message that is open beside the list. */
  message?: string;
};

const names = ["subtenant", "queue", "search", "source", "state", "key", "time", "message"] as const;

/** The server takes search texts of so many characters and more. */
export const searchLengthMin = 3;

export function parseQueueSearch(given: Record<string, unknown>): QueueSearch {
  const { search = "", ...filters } = pickTexts(given, names);
  return search.trim().length < searchLengthMin ? filters : { ...filters, search };
}

export const states: MessageState[] = [
  "ready",
  "in-hand",
  "retrying",
  "parked",
  "dead",
  "delivered",
  "superseded",
  "removed",
  "redirected",
];
const waitingStates: MessageState[] = ["ready", "in-hand", "retrying", "parked"];

export const periods = ["hour", "day", "week"] as const;
export type Period = (typeof periods)[number];
const periodHours: Record<Period, number> = { hour: 1, day: 24, week: 168 };

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function messageFilterOf({ subtenant, queue, search, source, state, key, time }: QueueSearch, now: Date) {
  const wantedStates = state === "waiting" ? waitingStates : states.filter((known) => known === state);
  const period = periods.find((known) => known === time);
  return {
    ...(subtenant && { subtenant }),
    ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }),
    ...(wantedStates.length > 0 && { state: wantedStates }),
    ...(key && { keyPrefix: key }),
    ...(source && { source }),
    ...(search && { search: search.trim() }),
    ...(period && { from: new Date(now.getTime() - periodHours[period] * 3_600_000).toISOString() }),
  };
}
