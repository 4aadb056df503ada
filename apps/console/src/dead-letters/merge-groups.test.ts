import type { DeadLetterGroup } from "@crossdock/contract";
import { expect, test } from "vitest";
import { byCount, mergeGroups } from "./merge-groups.ts";

const group = (fingerprint: string, change: Partial<DeadLetterGroup>): DeadLetterGroup => ({
  fingerprint,
  errorClass: "http-422",
  error: null,
  queueIds: [1],
  integrationPointIds: [1],
  subtenantCodes: ["shop"],
  count: 1,
  firstAt: "2026-11-22T08:00:00.1Z",
  lastAt: "2026-11-22T08:00:00.1Z",
  hours: [0, 1],
  changeBefore: null,
  triage: { status: "new", ignoredUntil: null, owner: null, comment: "", version: 0, changedBy: null, changedAt: null },
  ...change,
});

test("what two steps found of one error is added up, with the text of the newest failure, and each group keeps its place", () => {
  const changeBefore = { integrationPointId: 1, version: 2, madeAt: "2026-11-21T07:00:00Z", madeBy: "Eva" };
  const first = mergeGroups([], [group("a", { error: "newer", lastAt: "2026-11-22T09:00:00Z" }), group("b", {})]);
  const found = mergeGroups(first, [
    group("b", {
      error: "older",
      count: 4,
      firstAt: "2026-11-21T08:00:00Z",
      lastAt: "2026-11-21T08:00:00Z",
      queueIds: [2, 1],
      hours: [4, 0],
      changeBefore,
    }),
    group("a", { error: "older", hours: [1, 0] }),
  ]);
  expect(found).toMatchObject([
    { id: "a", count: 2, error: "newer", lastAt: "2026-11-22T09:00:00Z", hours: [1, 1] },
    { id: "b", count: 5, error: null, queueIds: [1, 2], firstAt: "2026-11-21T08:00:00Z", hours: [4, 1], changeBefore },
  ]);
  expect(byCount(found).map(({ id }) => id)).toEqual(["b", "a"]);
});
