import { expect, test } from "vitest";
import { emptyDraft, patchOf } from "./patch-draft.ts";

test("a merge patch is sent with all digits of its numbers, and none as null", () => {
  const merge = '{"a":12345678901234567890,"b":[0.1234567890123456789],"c":12.5,"d":9007199254740991,"e":"1","f":1e400,"g":{"h":-1e-400}}';
  expect(JSON.stringify(patchOf({ ...emptyDraft, kind: "merge", merge }))).toBe(`{"kind":"merge","merge":${merge}}`);
});

test.each(["", "{", "{}", "[1]", "null", "1e400", '"a"'])("%s is no merge patch", (merge) => {
  expect(patchOf({ ...emptyDraft, kind: "merge", merge })).toBeNull();
});
