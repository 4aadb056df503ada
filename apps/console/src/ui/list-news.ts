/** How the start of a list differs from the rows on the screen. */
export type ListNews = {
  /** Rows that came. */
  count: number;
  /** Everything that was read is new, so there may be more. */
  isMore: boolean;
  /** Rows on the screen that have left the list. */
  goneIds: ReadonlySet<string>;
};

export const noNews: ListNews = { count: 0, isMore: false, goneIds: new Set() };

type Start = { ids: readonly string[]; isWhole: boolean };

/**
 * Compares the rows on the screen, from the first one on, with the list's start as it is now. Rows behind the last one that both have
 * tell nothing: whichever reaches further has more of them for that reason alone.
 */
export function compareStart(shown: Start, start: Start): ListNews {
  const [shownIds, startIds] = [new Set(shown.ids), new Set(start.ids)];
  const lastOfStart = shown.isWhole ? start.ids.length - 1 : start.ids.findLastIndex((id) => shownIds.has(id));
  const lastOfShown = start.isWhole ? shown.ids.length - 1 : shown.ids.findLastIndex((id) => startIds.has(id));
  const hasNothingInCommon = !shown.isWhole && lastOfStart === -1;
  const compared = hasNothingInCommon ? start.ids : start.ids.slice(0, lastOfStart + 1);
  const came = compared.filter((id) => !shownIds.has(id)).length;
  return {
    count: came,
    isMore: came > 0 && came === start.ids.length && !start.isWhole,
    goneIds: new Set(shown.ids.slice(0, lastOfShown + 1).filter((id) => !startIds.has(id))),
  };
}
