import { type EntityType, canonicalSchemas } from "@crossdock/contract";
import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { casesOf } from "./contract-cases.ts";
import { Driver } from "./testing.ts";
import { formatOf, htmlOf, plainOf } from "./descriptions.ts";
import { connectors } from "./index.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.close());
beforeEach(() => sandbox.reset("system"));

/** What was sent of an item with this description, twice escaped in XML and JSON. */
async function sentOf(code: keyof typeof connectors, description: string, descriptionFormat: string | null): Promise<string> {
  const each = casesOf(sandbox.url).find((one) => one.code === code);
  if (!each) throw new Error(code);
  const document = { ...each.deliver.item, description, descriptionFormat };
  const { bodies } = await new Driver(connectors[code]).deliver(each, "item" satisfies EntityType, document);
  return bodies.join("\n");
}

describe("plain text", () => {
  test.each(["shopify", "magento", "bigcommerce", "sitoo", "litium", "storm"] as const)(
    "arrives as text where HTML is shown: %s",
    async (code) => {
      expect(await sentOf(code, "a < b & c\nd", "plain")).toContain("a &lt; b &amp; c<br>d");
    },
  );
  test("arrives as text in Jetshop's XML", async () => {
    expect(await sentOf("jetshop", "a < b & c", null)).toContain("a &amp;lt; b &amp;amp; c");
  });
  test("arrives as it is where text is shown", async () => {
    expect(await sentOf("nuorder", "a < b & c", "plain")).toContain('"description":"a < b & c"');
    expect(await sentOf("colect", "a < b & c", null)).toContain("a &lt; b &amp; c</");
  });
});

describe("HTML", () => {
  const html = "<p>warm &amp; dry</p><ul><li>5 &lt; 6</li></ul>";
  test.each(["shopify", "magento", "bigcommerce", "sitoo", "litium", "storm"] as const)(
    "arrives as it is where it is shown: %s",
    async (code) => {
      expect(await sentOf(code, html, "html")).toContain(html);
    },
  );
  test("arrives as text where that is shown", async () => {
    expect(await sentOf("nuorder", html, "html")).toContain(String.raw`"description":"warm & dry\n\n5 < 6"`);
    expect(await sentOf("colect", html, "html")).toContain("warm &amp; dry\n\n5 &lt; 6<");
  });
});

const item = (description: string | null, descriptionFormat: string | null = "html") =>
  canonicalSchemas.item.parse({ sku: "A-1", name: null, description, descriptionFormat });

test.each([
  ["a<br>b<BR/>c", "a\nb\nc"],
  ["<style>p { color: red }</style><p class='x'>R&aring;d &#8211; &#x2014; &euro;5 &nosuch;</p>", "Råd – — €5 &nosuch;"],
  ["<!-- note --><b>bold</b> 1 < 2", "bold 1 < 2"],
  ["<p>a</p>\n\n<p>b</p>", "a\n\nb"],
  ["&#0; &#55296;", "&#0; &#55296;"],
])("the text in %s", (html, text) => {
  expect(plainOf(item(html))).toBe(text);
});

test("a tag without end takes no longer than its text", () => {
  const began = performance.now();
  const html = `<p>a</p><${"a".repeat(150_000)}`;
  expect(plainOf(item(html))).toHaveLength(150_003);
  expect(performance.now() - began).toBeLessThan(10_000);
});

test("an item without description has none, and one that says nothing of its format is plain", () => {
  expect([htmlOf(item(null)), plainOf(item(null))]).toEqual([null, null]);
  expect([htmlOf(item("<b>", null)), plainOf(item("<b>", null))]).toEqual(["&lt;b&gt;", "<b>"]);
  expect([formatOf("a < b"), formatOf("<p>a"), formatOf(null)]).toEqual(["plain", "html", null]);
});
