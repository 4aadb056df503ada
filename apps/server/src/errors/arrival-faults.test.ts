import { expect, test } from "vitest";
import { withName } from "./arrival-faults.ts";
import { parseContent } from "../intake/content.ts";

const named = (message: string) => withName({ path: "", message });

test("what intake and connectors say has a name and its values; other words, and what has a name already, stay as they are", () => {
  expect(named("header x-shopify-topic is missing")).toMatchObject({ reason: "header-missing", values: { header: "x-shopify-topic" } });
  expect(named("It contains no document.")).toEqual({ path: "", message: "It contains no document.", reason: "message-empty" });
  const level = "the message names inventory item 17 and no sku; take stock from product messages (stockFromProducts)";
  expect(named(level)).toMatchObject({ reason: "level-without-sku", values: { id: "17" } });
  expect(named("a system's own words")).toEqual({ path: "", message: "a system's own words" });
  expect(withName({ path: "a", message: "must be a JSON object", reason: "missing" })).toMatchObject({ reason: "missing" });
});

test.each([
  ["{", "body-not-json"],
  ['{"a" 1}', "body-not-json-at"],
  ["[".repeat(100), "body-too-deep"],
  ["\0", "body-nul"],
  ['{"a":"\\u0000"}', "body-nul-escaped"],
])("a body that can't be read is told by name: %j", (body, reason) => {
  const content = parseContent(Buffer.from(body));
  expect("fault" in content && named(content.fault.message).reason).toMatch(new RegExp(`^${reason}`));
});
