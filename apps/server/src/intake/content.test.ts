import { expect, test } from "vitest";
import { singleHeaders } from "../masking/headers.ts";
import { keptHeaders, parseContent } from "./content.ts";

const bytes = (text: string): Buffer => Buffer.from(text);

test("JSON is read with or without a byte order mark", () => {
  expect(parseContent(bytes('{"sku":"å"}'))).toEqual({ json: { sku: "å" } });
  expect(parseContent(bytes('\ufeff{"sku":1}'))).toEqual({ json: { sku: 1 } });
});

test.each([
  ["Latin-1 text", Buffer.from('{"sku":"å"}', "latin1"), "bad-encoding"],
  ["UTF-16", Buffer.from('{"sku":1}', "utf16le"), "nul-character"],
  ["half a character", Buffer.from([0x22, 0xe2, 0x82, 0x22]), "bad-encoding"],
  ["a NUL byte", bytes('{"sku":"a\0b"}'), "nul-character"],
  ["an escaped NUL in a value", bytes('{"sku":"a\\u0000b"}'), "nul-character"],
  ["an escaped NUL in a name", bytes('{"a\\u0000b":1}'), "nul-character"],
  ["half an object", bytes('{"sku":'), "bad-json"],
  ["a trailing comma", bytes('{"sku":1,}'), "bad-json"],
  ["nothing", bytes(""), "bad-json"],
  ["NaN", bytes('{"quantity":NaN}'), "bad-json"],
])("%s is refused as what it is", (_what, body, code) => {
  expect(parseContent(body)).toMatchObject({ fault: { code } });
});

test("a backslash before u0000 is text, not a NUL", () => {
  expect(parseContent(bytes('{"a":"\\\\u0000"}'))).toEqual({ json: { a: "\\u0000" } });
});

test("secrets are masked in the headers that are kept, signatures are not", () => {
  const kept = keptHeaders(
    singleHeaders({
      authorization: "Bearer cdk_1",
      "x-api-key": "k",
      "x-shopify-access-token": "t",
      "x-shopify-hmac-sha256": "s",
      "set-cookie": ["a", "b"],
      "webhook-id": "1",
      "x-hook-key": "key=a secret of the point",
    }),
    ["a secret of the point"],
  );
  expect(kept).toEqual({
    authorization: "•••",
    "x-api-key": "•••",
    "x-shopify-access-token": "•••",
    "x-shopify-hmac-sha256": "s",
    "set-cookie": "•••",
    "webhook-id": "1",
    "x-hook-key": "•••",
  });
});
