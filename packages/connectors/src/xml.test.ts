import { expect, test } from "vitest";
import { XmlFault, XmlReader, elements, elementsOf, objectOf, readXml } from "./xml.ts";

test("names lose their prefix, entities and CDATA become text, comments and instructions go", () => {
  const root = readXml(
    '<?xml version="1.0"?><!-- x --><a:r xmlns:a="u"><a:b k="1>2">x &amp; &#229;&#x41;</a:b><b><![CDATA[<raw>]]></b><c/></a:r>',
  );
  expect(root.name).toBe("r");
  expect(objectOf(root)).toEqual({ b: ["x & åA", "<raw>"], c: "" });
  expect(elementsOf(root, "b")).toHaveLength(2);
});

test("a document read in pieces of one character is the same", () => {
  const text = "<r>\n<i>a&amp;b</i><i><![CDATA[c]]></i><!--n--></r>";
  const seen: string[] = [];
  const reader = new XmlReader({
    open: (name) => seen.push(`<${name}`),
    text: (part) => seen.push(part),
    close: (name) => seen.push(`/${name}`),
  });
  for (const character of text) reader.push(character);
  reader.end();
  expect(seen.join("").replace(/\s/g, "")).toBe("<r<ia&b/i<ic/i/r");
  expect(reader.line).toBe(2);
});

test.each([
  ["a document type", '<!DOCTYPE r [<!ENTITY e "x">]><r/>'],
  ["a tag that closes nothing", "<r></b></r>"],
  ["an end in the middle", "<r><b>"],
  ["two documents", "<r/><r/>"],
  ["no document", "plain"],
  ["endless nesting", "<a>".repeat(100)],
])("%s is refused with its line", (_what, text) => {
  expect(() => readXml(text)).toThrow(XmlFault);
});

test("what is written is escaped, and read back the same", () => {
  const fields = { sku: `<&">`, list: ["1", "2"], none: null, inner: { deep: "å\u0001" } };
  expect(objectOf(readXml(`<r>${elements(fields)}</r>`))).toEqual({ sku: `<&">`, list: ["1", "2"], inner: { deep: "å" } });
});

test("an element's children are looked at once each, however many names they have", () => {
  let looks = 0;
  const children = Array.from({ length: 1_000 }, (_, index) => ({
    get name() {
      looks += 1;
      return `c${index}`;
    },
    text: "",
    children: [],
  }));
  expect(Object.keys(objectOf({ name: "r", text: "", children }))).toHaveLength(1_000);
  expect(looks).toBeLessThanOrEqual(2_000);
});
