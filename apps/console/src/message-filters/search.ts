import type { MessageState } from "@crossdock/contract";
import { pickTexts } from "../text-search.ts";

/** The filters of all lists of messages and what goes with them, as they stand in the address; what is absent doesn't restrict. */
export type FilterSearch = { [name in FilterName]?: string };

const names = [
  ...(["search", "subtenant", "queue", "point", "state", "time", "key", "externalId", "entity"] as const),
  ...(["source", "error", "status", "attempts", "payload", "from", "to"] as const),
];
export type FilterName = (typeof names)[number];

/** Several whole keys, a line each; a single one stands for all that begin like it. */
export const isKeyList = (key: string | undefined): key is string => key?.includes("\n") ?? false;

/** The business key as the API takes it. */
export function keyOf({ key }: FilterSearch): { key?: string[]; keyPrefix?: string } {
  if (!key) return {};
  return isKeyList(key) ? { key: key.split("\n") } : { keyPrefix: key };
}

/** Messages that a list can be asked for by their ids at most, as the server has it. */
export const idsMax = 500;

/** Whether any of these filters leaves something out. */
export const isNarrowed = (filters: Record<string, string | undefined>): boolean => Object.values(filters).some(Boolean);

/** Takes the filters out of an address, and what else a screen keeps in it. */
export function pickFilters<Name extends string>(
  given: Record<string, unknown>,
  more: readonly Name[],
): { [name in FilterName | Name]?: string } {
  const { search = "" } = pickTexts(given, ["search"]);
  return pickTexts(search.trim() === "" ? { ...given, search: "" } : given, [...names, ...more]);
}

export const periods = ["hour", "day", "week"] as const;
export type Period = (typeof periods)[number];
const periodHours: Record<Period, number> = { hour: 1, day: 24, week: 168 };

/** The times as the API takes them. */
export function timesOf({ time, from, to }: FilterSearch, now: Date): { from?: string; to?: string } {
  const period = periods.find((known) => known === time);
  if (period) return { from: new Date(now.getTime() - periodHours[period] * 3_600_000).toISOString() };
  return spanOf({ from, to });
}

/** Exact times as the API takes them. A text that isn't one is left out. */
export function spanOf({ from, to }: { from?: string | undefined; to?: string | undefined }): { from?: string; to?: string } {
  return { ...(from && isMoment(from) && { from }), ...(to && isMoment(to) && { to }) };
}

/** No index has the answer ready: a list of messages is looked through from the newest to the oldest. How often one was tried its place tells. */
export function isSlowFilter({ search = "", error, status, payload }: FilterSearch): boolean {
  // Words in double quotes are looked for together.
  const words = Array.from(search.matchAll(/"([^"]*)"?|[^\s"]+/g), ([word, quoted]) => (quoted ?? word).trim()).filter(
    (word) => word !== "",
  );
  return Boolean(error || status || payload) || (words.length > 0 && !words.some(isLongEnough));
}

/** The index knows three characters in a row and up; lists without a scan of their own take no shorter search. */
export const searchLengthMin = 3;

/** The server counts whole characters: an emoji is one, though JavaScript takes it for two. */
export const isLongEnough = (search: string): boolean => Array.from(search).length >= searchLengthMin;

/** The address's filters, but for the states, as lists of messages take them. A value that isn't one is left out, as the address may come from anywhere. */
export function listFilterOf(filters: FilterSearch, now: Date) {
  const { subtenant, queue, search = "", source, entity, error, status, attempts } = filters;
  return {
    ...(subtenant && { subtenant }),
    ...(queue && /^\d{1,9}$/.test(queue) && { queueId: [Number(queue)] }),
    ...keyOf(filters),
    ...(entity && { entityType: entity }),
    ...(source?.trim() && { source: source.trim() }),
    ...(search.trim() !== "" && { search: search.trim() }),
    ...(error && { errorClass: error }),
    ...(status && isHttpStatus(status) && { httpStatus: Number(status) }),
    ...(attempts && isCount(attempts) && { attemptsMin: Number(attempts) }),
    ...payloadOf(filters),
    ...timesOf(filters, now),
  };
}

/** The filters of a list of messages as the API takes them, at the moment. */
export type CountedBy = (now: Date) => ReturnType<typeof listFilterOf> & { state?: MessageState[] };

export function payloadOf({ payload }: FilterSearch): { payload?: string } {
  return payload && isPayloadFilter(payload) ? { payload: payload.trim() } : {};
}

/** No index has the answer of a payload filter ready: a list without other slow filters is looked through from its start. */
export const isPayloadScan = (filters: FilterSearch): boolean => payloadOf(filters).payload !== undefined;

export const isHttpStatus = (text: string): boolean => /^[1-5]\d\d$/.test(text);
export const isCount = (text: string): boolean => /^\d{1,3}$/.test(text);
/** Whether a text is an exact time; one in an address may be anything, such as February 31, which browsers take for a day in March. */
export const isMoment = (text: string): boolean =>
  /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) && new Date(text).getUTCDate() === Number(text.slice(8, 10));

/** What the server takes for a payload filter, but for subtleties, so that half a filter isn't sent while it is typed. */
export function isPayloadFilter(text: string): boolean {
  return /^\s*\$(\.[\p{L}_][\p{L}\p{N}_-]*|\[\s*(\*|\d{1,9}|"([^"\\]|\\.)*")\s*\])*\s*(!=|=|<|>|contains\b)\s*("([^"\\]|\\.)*"|-?\d+(\.\d+)?|true|false|null)\s*$/u.test(
    text,
  );
}
