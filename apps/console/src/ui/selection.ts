import { useState } from "react";
import { walkPages, type PageReader } from "./list-query.ts";

/**
 * Which rows of a list are chosen: some by their ids, or everything that matches the list's filter, except for some. The second form
 * also covers rows that were never loaded.
 */
export type Selection = { kind: "some"; ids: ReadonlySet<string> } | { kind: "all-but"; ids: ReadonlySet<string> };

export const nothing: Selection = { kind: "some", ids: new Set() };
export const everything: Selection = { kind: "all-but", ids: new Set() };

export function isChosen(selection: Selection, id: string): boolean {
  return selection.ids.has(id) === (selection.kind === "some");
}

export function isNothing(selection: Selection): boolean {
  return selection.kind === "some" && selection.ids.size === 0;
}

/**
 * What is chosen of a list. It ends with the filters that it was made under, however they change: in their fields, by a link to the same
 * screen or on the way back. Nobody should act on rows out of sight.
 */
export function useSelection(filters: object): [Selection, (selection: Selection) => void] {
  const present = JSON.stringify(filters);
  const [under, setUnder] = useState(present);
  const [selection, setSelection] = useState(nothing);
  if (under !== present) {
    setUnder(present);
    setSelection(nothing);
  }
  return [selection, setSelection];
}

/** Adds the given rows to the choice, or takes them out. */
export function choose(selection: Selection, ids: Iterable<string>, isWanted: boolean): Selection {
  const next = new Set(selection.ids);
  const isListed = isWanted === (selection.kind === "some");
  for (const id of ids) {
    if (isListed) next.add(id);
    else next.delete(id);
  }
  return { kind: selection.kind, ids: next };
}

/** Chooses rows in addition, or takes them out; out of a choice by ids everything goes, as its other rows may be out of sight for good. */
export function chooseRows(selection: Selection, rows: readonly { id: string }[], areWanted: boolean): Selection {
  const from = selection.kind === "all-but" || areWanted ? selection : nothing;
  return choose(
    from,
    rows.map(({ id }) => id),
    areWanted,
  );
}

/** How many rows are chosen, given how many match; null when nobody knows how many match. */
export function countChosen({ kind, ids }: Selection, matching: number | null): number | null {
  if (kind === "some") return ids.size;
  return matching === null ? null : Math.max(0, matching - ids.size);
}

/** The ids behind a selection; for 'all but' the list is walked through. */
export async function idsOf(selection: Selection, readPage: PageReader<{ id: string }>, signal: AbortSignal): Promise<string[]> {
  if (selection.kind === "some") return [...selection.ids];
  const ids = new Set<string>();
  for await (const rows of walkPages(readPage, signal)) for (const { id } of rows) if (isChosen(selection, id)) ids.add(id);
  return [...ids];
}
