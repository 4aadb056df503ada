import { expect, test } from "vitest";
import { parseJson } from "./json-tree.ts";
import { syntaxFaultOf } from "./json-syntax.ts";

const document = JSON.stringify({ number: "1", lines: [{ sku: 'a, {b}: ["c"] \u0007 \\ é', n: -1.5e7 }, {}], list: [], no: null }, null, 2);

test.each([
  { what: "a comma is missing", text: '{\n  "a": 1\n  "b": 2\n}', line: 3, column: 3 },
  { what: "a comma is too many", text: '{\n  "a": [1, 2,]\n}', line: 2, column: 14 },
  { what: "a name has no quotes", text: '{\n  "a": 1,\n  b: 2\n}', line: 3, column: 3 },
  { what: "a string has no end", text: '{\n  "a": "x\n}', line: 2, column: 8 },
  { what: "a number begins with zeros", text: '{ "a": 007 }', line: 1, column: 9 },
  { what: "a word is none of JSON's", text: '{ "a": undefined }', line: 1, column: 8 },
  { what: "a bracket closes another one", text: '{\n  "a": [1}\n}', line: 2, column: 10 },
  { what: "it breaks off", text: '{\n  "a": {\n', line: 2, column: 9 },
  { what: "something follows", text: "{}\n\n{}", line: 3, column: 1 },
  { what: "there is nothing", text: " \n", line: 1, column: 1 },
])("where $what, the place is told", ({ text, line, column }) => {
  expect(syntaxFaultOf(text)).toEqual({ line, column });
});

test("a text has a fault exactly where a parser refuses it, wherever a character is missing, doubled or another one", () => {
  expect(syntaxFaultOf(document)).toBeNull();
  for (let at = 0; at < document.length; at += 1) {
    for (const other of ["", "0", ",", '"', "}", "\\", "\n", `${document[at]}${document[at]}`]) {
      const text = document.slice(0, at) + other + document.slice(at + 1);
      expect({ text, isJson: syntaxFaultOf(text) === null }).toEqual({ text, isJson: parseJson(text) !== null });
    }
  }
});
