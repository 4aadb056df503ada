import { expect, test } from "vitest";
import { applyDocument, unknownEntity, type CanonicalRecord, type EntityState, type EntityVerdict } from "./entity-changes.ts";

function record(content: string, sourceVersion: bigint | null): CanonicalRecord {
  return { entityType: "stock", key: "a@default", text: content, hash: Buffer.from(content), sourceVersion, partOf: null, deletedAt: null };
}

function run(records: CanonicalRecord[]): { verdicts: EntityVerdict[]; state: EntityState } {
  let state = unknownEntity;
  const verdicts = records.map((next) => {
    const applied = applyDocument(state, next);
    state = applied.state;
    return applied.verdict;
  });
  return { verdicts, state };
}

test("each new content is a version, the same content again is none", () => {
  const { verdicts, state } = run([record("1", 10n), record("1", 10n), record("2", 20n)]);
  expect(verdicts).toEqual(["changed", "unchanged", "changed"]);
  expect(state).toMatchObject({ version: 2, hash: Buffer.from("2"), sourceVersion: 20n });
});

test("an older document does not overwrite a newer one, whichever arrives last", () => {
  expect(run([record("2", 20n), record("1", 10n)])).toMatchObject({ verdicts: ["changed", "outdated"], state: { version: 1 } });
});

test("content that still holds later outdates what lies between", () => {
  expect(run([record("1", 10n), record("1", 30n), record("2", 20n)]).verdicts).toEqual(["changed", "unchanged", "outdated"]);
});

test("a content that returns is a change", () => {
  expect(run([record("1", null), record("2", null), record("1", null)]).verdicts).toEqual(["changed", "changed", "changed"]);
});

test("a document without a time is believed, and does not make the object forget its time", () => {
  expect(run([record("1", 20n), record("2", null), record("3", 10n)]).verdicts).toEqual(["changed", "changed", "outdated"]);
});
