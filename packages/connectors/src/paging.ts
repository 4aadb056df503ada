import { sourceAheadMsMax } from "@crossdock/contract";
import type { OutboundRequest, Page, Pull, PullInput } from "./connector.ts";
import { asText, utcTime } from "./foreign.ts";
import { isRecord } from "./json.ts";
import { type Manners, judge } from "./json-call.ts";

/** Where a list by time of change stands: what has changed since, and which page of that. Pages count from 1. */
export type Step = { since: string | null; page: number };

/** Where a list is to go on, and the time by which the source's times are judged. */
export type Pulling = Pick<PullInput, "cursor" | "now">;

type Changes = {
  cursor: string | null;
  now: Date | undefined;
  pageSize: number;
  request: (step: Step) => OutboundRequest;
  manners: Manners;
  objectsOf: (body: unknown) => unknown[];
  idOf: (object: Record<string, unknown>) => unknown;
  changedAt: (object: Record<string, unknown>) => unknown;
};

/**
 * Pages through what has changed, oldest change first. The cursor keeps the time that the pages began from until the last of them, and only
 * then moves on to the newest change seen; the objects of that very moment come again and are known by their names.
 */
export function changesSince({ cursor, now, pageSize, request, manners, objectsOf, idOf, changedAt }: Changes): Pull {
  const isBelieved = (time: unknown): time is string => typeof time === "string" && !isAhead(time, now);
  const state = readCursor(cursor, isBelieved);
  return {
    request: request(state),
    read: (response) =>
      judge<Page>(response, manners, {}, (body) => {
        const objects = objectsOf(body).filter(isRecord);
        const times = objects.map(changedAt).filter(isBelieved);
        const newest = times.reduce((latest, time) => (latest === null || time > latest ? time : latest), state.newest);
        const hasMore = objects.length >= pageSize;
        const following = hasMore ? { ...state, page: state.page + 1, newest } : { since: newest ?? state.since, page: 1, newest };
        return {
          kind: "page",
          messages: objects.map((object) => ({
            body: JSON.stringify(object),
            name: `${asText(idOf(object))}@${asText(changedAt(object))}`,
          })),
          cursor: JSON.stringify(following),
          hasMore,
        };
      }),
  };
}

type State = Step & { newest: string | null };

function isAhead(time: string, now: Date | undefined): boolean {
  return now !== undefined && Date.parse(utcTime(time) ?? time) > now.getTime() + sourceAheadMsMax;
}

/** A time that the cursor was led to before such times were told from others leads back to the beginning. */
function readCursor(cursor: string | null, isBelieved: (time: unknown) => time is string): State {
  const read: unknown = cursor === null ? {} : parse(cursor);
  const { since, page, newest } = isRecord(read) ? read : {};
  return {
    since: isBelieved(since) ? since : null,
    page: typeof page === "number" && Number.isSafeInteger(page) && page > 0 ? page : 1,
    newest: isBelieved(newest) ? newest : null,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
