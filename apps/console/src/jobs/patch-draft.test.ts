import { expect, test } from "vitest";
import { emptyDraft, patchOf } from "./patch-draft.ts";

test("a merge patch keeps all digits of its numbers", () => {
  const merge = '{"a":12345678901234567890,"b":[0.1234567890123456789],"c":12.50,"d":9007199254740991,"e":"1"}';
  expect(patchOf({ ...emptyDraft, kind: "merge", merge })).toEqual({
    kind: "merge",
    merge: { a: "12345678901234567890", b: ["0.1234567890123456789"], c: 12.5, d: 9007199254740991, e: "1" },
  });
});
