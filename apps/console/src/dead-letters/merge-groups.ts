import type { DeadLetterGroup } from "@crossdock/contract";
import type { GroupRow } from "./queries.ts";

/**
 * What each step of a search found, added up by error: the text and the triage are those of the newest failure. Groups keep their places, so
 * that none moves under the pointer.
 */
export function mergeGroups(known: readonly GroupRow[], found: readonly DeadLetterGroup[]): GroupRow[] {
  const groups = new Map(known.map((group) => [group.id, group]));
  for (const group of found) {
    const before = groups.get(group.fingerprint);
    groups.set(group.fingerprint, { ...(before ? add(before, group) : group), id: group.fingerprint });
  }
  return [...groups.values()];
}

export function countOfGroups(groups: readonly GroupRow[]): number {
  return groups.reduce((sum, { count }) => sum + count, 0);
}

/** The most frequent error first, as the groups stand where they need not be searched for. */
export function byCount(groups: readonly GroupRow[]): GroupRow[] {
  return groups.toSorted((one, other) => other.count - one.count || Date.parse(other.lastAt) - Date.parse(one.lastAt));
}

function add(known: DeadLetterGroup, found: DeadLetterGroup): DeadLetterGroup {
  const [newer, older] = isLater(found.lastAt, known.lastAt) ? [found, known] : [known, found];
  const { firstAt, changeBefore } = isLater(found.firstAt, known.firstAt) ? known : found;
  return {
    ...newer,
    count: known.count + found.count,
    firstAt,
    changeBefore,
    hours: known.hours.map((count, hour) => count + (found.hours[hour] ?? 0)),
    queueIds: both(newer.queueIds, older.queueIds),
    integrationPointIds: both(newer.integrationPointIds, older.integrationPointIds),
    subtenantCodes: both(newer.subtenantCodes, older.subtenantCodes),
  };
}

const both = <Value>(one: Value[], other: Value[]): Value[] => [...new Set([...one, ...other])];
const isLater = (one: string, other: string): boolean => Date.parse(one) > Date.parse(other);
