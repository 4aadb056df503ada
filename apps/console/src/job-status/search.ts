import { pickTexts } from "../text-search.ts";

/** The screen's state as it stands in the address. */
export type JobStatusSearch = {
  /** `schedules` or `bulk`; else the runs. */
  view?: string;
  subtenant?: string;
  /** Of the runs alone. */
  state?: string;
  /** Id of the run that is shown beside the list. */
  run?: string;
  /** Id of the target whose objects the dialog for a new run offers to send anew. */
  resync?: string;
  /** Id of the import whose way of reading a file the dialog for another one repeats. */
  again?: string;
  /** Id of the schedule that is marked among the others. */
  schedule?: string;
  /** Id of the reconciliation whose differences are shown, and their filter. */
  differences?: string;
  kind?: string;
  key?: string;
};

export function parseJobStatusSearch(given: Record<string, unknown>): JobStatusSearch {
  return pickTexts(given, ["view", "subtenant", "state", "run", "resync", "again", "schedule", "differences", "kind", "key"]);
}
