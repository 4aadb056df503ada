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
  entity?: string;
  error?: string;
  status?: string;
  attempts?: string;
  payload?: string;
  time?: string;
  from?: string;
  to?: string;
  /** The message that is open beside the list, or the job. */
  message?: string;
  job?: string;
};

const names = [
  ...(["subtenant", "queue", "search", "source", "state", "key", "entity", "error"] as const),
  ...(["status", "attempts", "payload", "time", "from", "to", "message", "job"] as const),
];

export function parseQueueSearch(given: Record<string, unknown>): QueueSearch {
  const { search = "", ...filters } = pickTexts(given, names);
  return search.trim() === "" ? filters : { ...filters, search };
}

export const entityTypes = ["item", "price", "stock", "order", "shipment", "customer"];

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

/** The states that the list shows; none stands for all. */
export function wantedStatesOf(state: string | undefined): MessageState[] {
  return state === "waiting" ? waitingStates : states.filter((known) => known === state);
}

/** The address's filters as the API takes them. A value that isn't one is left out, as the address may come from anywhere. */
export function messageFilterOf(filters: QueueSearch, now: Date) {
  const { subtenant, queue, search, source, state, key, entity, error, status, attempts, payload } = filters;
  const wantedStates = wantedStatesOf(state);
  return {
    ...(subtenant && { subtenant }),
    ...(queue && /^\d+$/.test(queue) && { queueId: [queue] }),
    ...(wantedStates.length > 0 && { state: wantedStates }),
    ...(key && { keyPrefix: key }),
    ...(entity && { entityType: entity }),
    ...(source && { source }),
    ...(search && { search: search.trim() }),
    ...(error && { errorClass: error }),
    ...(status && isHttpStatus(status) && { httpStatus: status }),
    ...(attempts && isCount(attempts) && { attemptsMin: attempts }),
    ...(payload && isPayloadFilter(payload) && { payload: payload.trim() }),
    ...timesOf(filters, now),
  };
}

function timesOf({ time, from, to }: QueueSearch, now: Date): { from?: string; to?: string } {
  const period = periods.find((known) => known === time);
  if (period) return { from: new Date(now.getTime() - periodHours[period] * 3_600_000).toISOString() };
  return { ...(from && isMoment(from) && { from }), ...(to && isMoment(to) && { to }) };
}

export const isHttpStatus = (text: string): boolean => /^[1-5]\d\d$/.test(text);
export const isCount = (text: string): boolean => /^\d{1,3}$/.test(text);
const isMoment = (text: string): boolean => /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** What the server takes for a payload filter, but for subtleties, so that half a filter isn't sent while it is typed. */
export function isPayloadFilter(text: string): boolean {
  return /^\s*\$(\.[\p{L}_][\p{L}\p{N}_-]*|\[\s*(\*|\d{1,9}|"([^"\\]|\\.)*")\s*\])*\s*(!=|=|<|>|contains\b)\s*("([^"\\]|\\.)*"|-?\d+(\.\d+)?|true|false|null)\s*$/u.test(
    text,
  );
}

const indexedLengthMin = 3;

/** No index has the answer ready: the messages are looked through from the newest to the oldest. */
export function isScan({ search = "", error, status, attempts, payload }: QueueSearch): boolean {
  const longest = Math.max(...search.split(/[\s"]+/).map((word) => word.length));
  return Boolean(error || status || attempts || payload) || (longest > 0 && longest < indexedLengthMin);
}

/** The filters alone, as they are saved and asked for. */
export function filtersOf(search: QueueSearch): QueueSearch {
  const { message: _, job: _job, ...filters } = search;
  return filters;
}
