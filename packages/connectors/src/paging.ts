import { sourceAheadMsMax } from "@crossdock/contract";
import type { OutboundRequest, Page, Pull, PullInput, TargetResponse } from "./connector.ts";
import { asText, utcTime } from "./foreign.ts";
import { isRecord } from "./json.ts";
import { type Manners, judge } from "./json-call.ts";

/** Where a list by time of change stands: what has changed since, and which page of that. Pages count from 1. */
export type Step = { since: string | null; page: number };

/** Where a list is to go on, and the time by which the source's times are judged. */
export type Pulling = Pick<PullInput, "cursor" | "now">;

/**
 * Lists in the order in which things were made don't show what changed since. So many of the last ones are asked for again with each poll;
 * what is the same as before is known by its name.
 */
export const lookedAtAgain = 200;

/** How much later than the time that it bears a source may show a change: it sets the time when it begins to write, and shows it when it has written. */
const shownLateMs = 120_000;

/** The time of which all changes are shown by now. */
export function shownBy(now: Date): string {
  return new Date(now.getTime() - shownLateMs).toISOString();
}

/** The earlier one of the source's clock and the hub's: either may be ahead, and what lies between would never be asked for. */
export function clockOf(headers: TargetResponse["headers"], now: Date): Date {
  const told = Date.parse(headers["date"] ?? "");
  return Number.isNaN(told) ? now : new Date(Math.min(told, now.getTime()));
}

/** One that can't be read is taken for long over. */
function isShown(time: string, until: string | null): boolean {
  return until === null || !(millisecondsOf(time) > Date.parse(until));
}

type Changes = {
  cursor: string | null;
  now: Date | undefined;
  pageSize: number;
  request: (step: Step) => OutboundRequest;
  manners: Manners;
  objectsOf: (body: unknown) => unknown[];
  /** Whether another page follows, where the answer says so; else it does behind a full one. */
  hasMore?: (body: unknown, page: number) => boolean | undefined;
  idOf: (object: Record<string, unknown>) => unknown;
  changedAt: (object: Record<string, unknown>) => unknown;
};

/**
 * Pages through what has changed, oldest change first. The next page begins at the time that this one has reached, for by its number it
 * would leave out what moved forward as something changed meanwhile. Pages are counted only where one has a single moment, or no order; then
 * the cursor keeps the time that they began from, and the pages of the moment are read once more from the last to the first, towards which
 * everything moves. The next poll begins where this one found the last change that was no longer new when it began, since
 * earlier ones may still be shown, also behind a page that was read long before the last one. What comes again is known by its name.
 */
export function changesSince(changes: Changes): Pull {
  const { cursor, now, pageSize, request, manners, objectsOf, idOf, changedAt } = changes;
  const isBelieved = (time: unknown): time is string => typeof time === "string" && !isAhead(time, now);
  const state = readCursor(cursor, isBelieved);
  return {
    request: request(state),
    read: (response) =>
      judge<Page>(response, manners, {}, (body) => {
        const objects = objectsOf(body).filter(isRecord);
        const times = objects.map(changedAt);
        const until = state.until ?? (now === undefined ? null : shownBy(clockOf(response.headers, now)));
        const settled = times
          .filter(isBelieved)
          .reduce((latest, time) => (isShown(time, until) && time > (latest ?? "") ? time : latest), state.settled);
        const hasMore = changes.hasMore?.(body, state.page) ?? objects.length >= pageSize;
        const place = nextPlace(state, hasMore, times, isBelieved);
        const following = place ? { ...place, settled, ...(until !== null && { until }) } : { since: settled, page: 1, settled };
        return {
          kind: "page",
          messages: objects.map((object) => ({
            body: JSON.stringify(object),
            name: `${asText(idOf(object))}@${asText(changedAt(object))}`,
          })),
          cursor: JSON.stringify(following),
          hasMore: place !== null,
        };
      }),
  };
}

/** What comes of a page: itself, a fault, or a question that has to be asked first. */
export type Asked = ReturnType<Pull["read"]>;

/** Goes on with each page of a pull: its messages need more than came with them. */
export function followed(pull: Pull, complete: (page: Page) => Asked): Pull {
  return {
    request: pull.request,
    read: (response) => {
      const result = pull.read(response);
      return result.kind === "page" ? complete(result) : result;
    },
  };
}

type Belief = (time: unknown) => time is string;

type Place = Pick<State, "since" | "page" | "moment" | "isKnown" | "back">;

function firstPage(since: string | null): Place | null {
  return since === null ? null : { since, page: 1 };
}

/**
 * Where to go on; null at the end. The moment that the poll began from was read back when the one before came to it: of that only the pages are
 * read back to which something later has moved.
 */
function nextPlace(
  { since, page, until, moment, isKnown, back }: State,
  hasMore: boolean,
  times: readonly unknown[],
  isBelieved: Belief,
): Place | null {
  if (back) {
    const isBack = page === 1 || (back.isKnown && times.every((time) => time === since));
    return isBack ? firstPage(back.to) : { since, page: page - 1, back };
  }
  const [first] = times;
  const isMoment = isBelieved(first) && times.every((time) => time === first);
  // Nothing lies behind a first page of one moment.
  const reached = hasMore && !(isMoment && page === 1) ? reachedBy(times, isBelieved) : null;
  // A source that heeds no time would begin again and again.
  const isOnward = !hasMore || (reached !== null && reached > (moment ?? since ?? ""));
  if (isOnward)
    return moment === undefined ? firstPage(reached) : { since, page: page - 1, back: { to: reached, isKnown: isKnown === true } };
  if (!isMoment || (page > 1 && first !== moment)) return { since, page: page + 1 };
  return { since, page: page + 1, moment: first, isKnown: page === 1 ? until === null && first === since : isKnown === true };
}

/** The last time of a page in order; null where there is no order. */
function reachedBy(times: readonly unknown[], isBelieved: Belief): string | null {
  const known = times.filter(isBelieved);
  const isInOrder = known.length === times.length && known.every((time, index) => index === 0 || (known[index - 1] ?? "") <= time);
  const last = known.at(-1);
  return isInOrder && last !== undefined ? last : null;
}

/**
 * `settled`: from where the next poll is to begin. `until`: the time of which all changes were shown when this poll began; null of one that
 * begins. `moment`: the one that fills the pages counted so far. `isKnown`: it is the one that the poll began from. `back`: they are read
 * back, to go on from `to`; null: to end.
 */
type State = Step & {
  settled: string | null;
  until: string | null;
  moment?: string;
  isKnown?: boolean;
  back?: { to: string | null; isKnown: boolean };
};

function isAhead(time: string, now: Date | undefined): boolean {
  return now !== undefined && millisecondsOf(time) > now.getTime() + sourceAheadMsMax;
}

function millisecondsOf(time: string): number {
  return Date.parse(utcTime(time) ?? time);
}

/** A time that the cursor was led to before such times were told from others leads back to the beginning. */
function readCursor(cursor: string | null, isBelieved: Belief): State {
  const read: unknown = cursor === null ? {} : parse(cursor);
  const { since, page, settled, until, moment, isKnown, back } = isRecord(read) ? read : {};
  const from = isBelieved(since) ? since : null;
  return {
    since: from,
    page: typeof page === "number" && Number.isSafeInteger(page) && page > 0 ? page : 1,
    settled: isBelieved(settled) ? settled : null,
    until: typeof until === "string" ? until : null,
    ...(isBelieved(moment) && { moment }),
    ...(isKnown === true && { isKnown }),
    ...(isRecord(back) && { back: { to: isBelieved(back["to"]) ? back["to"] : null, isKnown: back["isKnown"] === true } }),
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
