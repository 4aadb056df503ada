import fc from "fast-check";
import { parsePayloadFilter } from "@crossdock/queue";
import { describe, expect, test, vi } from "vitest";
import { type Place, pointerOf, replaceParts, scalarsOf } from "./json-scalars.ts";
import { createMasking } from "./masking.ts";

const masking = createMasking(null, Buffer.alloc(32, 7), 1);
const masks = /••• [0-9a-f]{8}/;

const partsOf = (place: Place | null): (string | number)[] => (place ? [...partsOf(place.above), place.part] : []);

describe("the scalars of a JSON text", () => {
  const jsonTexts = fc.tuple(fc.jsonValue(), fc.constantFrom(undefined, 2)).map(([value, indent]) => JSON.stringify(value, null, indent));

  test("are all found where they are", () => {
    fc.assert(
      fc.property(jsonTexts, (text) => {
        for (const { place, start, end, value } of scalarsOf(text)) {
          expect(JSON.parse(text.slice(start, end))).toEqual(value);
          let found = JSON.parse(text);
          for (const part of partsOf(place)) found = found[part];
          expect(found).toEqual(value);
        }
        expect(
          replaceParts(
            text,
            [...scalarsOf(text)].map((scalar) => ({ ...scalar, text: text.slice(scalar.start, scalar.end) })),
          ),
        ).toBe(text);
      }),
    );
  });

  test("are named by RFC 6901", () => {
    expect([...scalarsOf('{"a/b":[{"m~n":1}]}')].map(({ place }) => pointerOf(place))).toEqual(["/a~1b/0/m~0n"]);
  });
});

describe("masked", () => {
  test.each([
    '{"email":"eva@example.com"}',
    '{"customer":{"name":"Eva Berg","customerNumber":"4711"}}',
    '{"billing_address":{"city":"Lund","zip":22100}}',
    '{"addresses":[{"lines":["Storgatan 1"]}]}',
    '{"deep":[{"Client-Secret":"abcdef"}]}',
  ])("in %s the personal value is masked, and nothing else changes", (text) => {
    const masked = masking.maskText(text);
    expect(masked).toMatch(masks);
    for (const value of masking.valuesIn(text)) expect(masked).not.toContain(value);
    expect(masking.restore(masked, text)).toEqual({ text, refused: [] });
  });

  test.each([
    '{"sku":"A-1","name":"Lamp","total":{"amount":"12.50"}}',
    '{"shippingAddress":{"country":"SE"}}',
    '{"big":12345678901234567890}',
  ])("%s stays as it is, to the last digit", (text) => expect(masking.maskText(text)).toBe(text));

  test.each([
    ["<order><customer><email>eva@example.com</email></customer><ns:Phone kind='x'>070-1</ns:Phone><sku>A</sku></order>", 3],
    ['<customer lastName="Berg"><address><line>Storgatan 1</line><country>SE</country></address><note/><sku>A</sku></customer>', 2],
    ["<email><![CDATA[eva@example.com]]></email>", 1],
    ["<customer note='a > b' phone='070-1'/><!-- not closed", 1],
    ["<order><phone>070-1", 1],
    ['\u{FEFF}{"email":"eva@example.com","sku":"A"}', 1],
    ['{"email":"eva@example.com"}\n{"phone":"070-1"}', 2],
    ['{"phone":"070-1","sku":"A",}', 1],
    ['{"sku":"A" "phone":"070-1"}', 1],
    ['{"sku":"A","phone" "070-1"}', 1],
    ['{"sku":"A","customer":{"phone":"070-1', 1],
    ["{'phone': '070-1'}", 1],
    ['{"sku":"A","phone":"070-1","street":["Storgatan 1","Lu… (70000 bytes)', 3],
    ['{"sku":"A","order":"{\\"customer\\":{\\"phone\\":\\"070-1\\"}}"}', 1],
    ['{"sku":"A","order":"<customer><phone>070-1</phone></customer>","text":"<b>Lamp</b>"}', 1],
    [`${'{"a":'.repeat(80)}"070-1"${"}".repeat(80)}`, 1],
    ["phone\n070-1\n", 1],
    ["Sku: A\r\nE-mail: eva@example.com\r\n  Last name:\tBerg", 2],
    [
      '--x\r\ncontent-disposition: form-data; name="email"\r\n\r\neva@example.com\r\n--x\r\nContent-Disposition: form-data; name="sku"\r\n\r\nA\r\n--x--',
      1,
    ],
    ["sku|phone\nA|070-1", 1],
    ["customer[email]=eva%40example.com&sku=A&phone=070", 2],
    ['sku;email;"last name"\r\nA;eva@example.com;"Berg; ""B"""\r\nB;;x', 3],
  ])("%s has its personal values masked and comes back whole", (text, count) => {
    const masked = masking.maskText(text);
    expect(masked.match(/••• [0-9a-f]{8}/g)).toHaveLength(count);
    expect(masking.restore(masked, text)).toEqual({ text, refused: [] });
  });

  test("in free text the values that are known to be masked are masked, and addresses of mail", () => {
    expect(masking.maskText("no customer Eva Berg (eva%40example.com), ask ada@example.com", ["eva@example.com", "Eva Berg"])).toMatch(
      /^no customer ••• \(•••\), ask •••$/,
    );
  });

  test("so they are in JSON that was made of them, under whatever name, and nothing else of it changes", () => {
    const text =
      '{"error":"no customer Eva \\"B\\" <eva@example.com>", "login":"eva@example.com","by":["ada@example.com"],"n":12345678901234567890}';
    expect(masking.maskText(text, ["eva@example.com", 'Eva "B"'])).toBe(
      '{"error":"no customer ••• <•••>", "login":"•••","by":["•••"],"n":12345678901234567890}',
    );
    expect(masking.maskText(text)).toBe(text);
  });

  test("no text takes long to mask", () => {
    const began = performance.now();
    for (const text of [
      "a".repeat(200_000),
      "<a ".repeat(60_000),
      "a=".repeat(60_000),
      `${"a.".repeat(60_000)}@`,
      '",'.repeat(60_000),
      "[".repeat(100_000),
      `${'{"b":1,"a":'.repeat(20_000)}{"b":1,`,
      `${"[".repeat(50_000)}${"1,".repeat(50_000)}1${"]".repeat(50_000)}`,
      `<a ${"b".repeat(200_000)}>`,
      "<a>b".repeat(50_000),
      "<!--".repeat(50_000),
      '<a "'.repeat(50_000),
      `sku\n"${"a".repeat(4_000_000)}`,
      `${'{"a":'.repeat(63)}[${"1,".repeat(2_000_000)}1]${"}".repeat(63)}`,
      "--a\n".repeat(50_000),
      `a: ${" ".repeat(200_000)}`,
      `a: b\n${"a".repeat(200_000)}`,
      `a: b\n${" ".repeat(200_000)}`,
    ]) {
      masking.maskText(text, ["aaaaaa"]);
    }
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test("nor does one whose names and values are as long as itself", () => {
    const began = performance.now();
    for (const text of [
      `<a ${"b".repeat(300_000)} c="d"/>`,
      `<${"a".repeat(300_000)}`,
      `</${"a".repeat(300_000)} "`,
      `<${"a".repeat(500_000)}>${"b<c/>".repeat(40_000)}`,
      `${"a".repeat(500_000)},b${"a".repeat(500_000)}\n${"b,c\n".repeat(20_000)}`,
      JSON.stringify([`${" ".repeat(300_000)}a`, `<a ${"b".repeat(300_000)} c="d"/>`, `<${"a".repeat(300_000)}`]),
    ]) {
      masking.maskText(text, ["aaaaaa"]);
    }
    const [half, whole] = ["a".repeat(300_000), "a".repeat(1_000_000)];
    expect(masking.maskText(`${whole}b${whole}`, [`${half}b${half}`])).toHaveLength(1_400_003);
    expect(masking.valueAt(`{"${half}":[${"1,".repeat(200_000)}1]}`, "/a/1")).toBeNull();
    expect(performance.now() - began).toBeLessThan(30_000);
  });

  test("with more values than anybody reads, a text is masked as a whole", () => {
    const many = Array.from({ length: 100_001 }, (_, index) => `070-${index}`);
    const text = JSON.stringify({ phone: many });
    expect(masking.maskText(text)).toMatch(/^"••• [0-9a-f]{8}"$/);
    expect(masking.maskText(`phone\n${many.join("\n")}`)).toMatch(/^••• [0-9a-f]{8}$/);
    expect(masking.scrub("070-100000", masking.valuesIn(text))).toBe("•••");
    expect(masking.scrub("a".repeat(65_536), many.slice(0, 5_000))).toBe("•••");
    expect(masking.scrub("070-100000", many.slice(0, 5_001))).toBe("•••");
  });

  test.each([
    ["/search.json?query=email%3A%22anna.berg%40example.se%22", "Anna.Berg@Example.se", "/search.json?query=email%3A%22•••%22"],
    ["/search.json?query=phone%3A%220705551234%22", "070-555 12 34", "/search.json?query=phone%3A%22•••%22"],
    ["/search?email=o%27brien%40example.ie", "o'brien@example.ie", "/search?email=•••"],
    ["/search?name=Eva+%28Berg%29", "Eva (Berg)", "/search?name=•••"],
    ["/search?email=ada%40example.com&page=1", "something else", "/search?email=•••&page=1"],
    ["/orders/2026/1121", "2026-1121 B", "/orders/2026/1121"],
  ])("%s tells nothing of %s", (url, value, shown) => {
    expect(masking.scrub(url, [value])).toBe(shown);
  });

  test("the values of one message are made ready once for all its texts", () => {
    const made = vi.spyOn(globalThis, "encodeURIComponent");
    const values = ["eva@example.com"];
    for (const text of ["one", "two"]) masking.maskText(text, values);
    expect(made).toHaveBeenCalledTimes(1);
    made.mockRestore();
  });

  test.each([
    ["aab", "aaab", "aa"],
    ["ab", "abab", "abababab"],
    ["a", "aaaa", "aaaaaaaaab"],
  ])("a long value of %s is found wherever it stands", (piece, before, behind) => {
    const long = piece.repeat(40);
    const text = `${before}${long}${behind}`;
    expect(masking.scrub(text, [long])).toBe(text.replaceAll(long, "•••"));
  });

  test("half a character in a value keeps no text from being scrubbed", () => {
    expect(masking.scrub("a \ud83d1234 b", masking.valuesIn('{"phone":"\\ud83d1234"}'))).toBe("a ••• b");
  });

  test("equal values have equal masks in a tenant, and others in another", () => {
    const [first, second] = ['{"email":"eva@example.com"}', '{"id":1,"email":"eva@example.com"}'].map(
      (text) => masks.exec(masking.maskText(text))?.[0],
    );
    expect(first).toBe(second);
    expect(createMasking(null, Buffer.alloc(32, 7), 2).maskText('{"email":"eva@example.com"}')).not.toContain(first);
  });

  test("numbers that a double can't tell apart have masks of their own, and are found in other texts by all of their digits", () => {
    const text = '{"phone":9007199254740993,"fax":9007199254740992}';
    const [one, other] = [...masking.maskText(text).matchAll(/••• [0-9a-f]{8}/g)].map(([found]) => found);
    expect(one).not.toBe(other);
    expect(masking.maskText("no such phone: 9007199254740993", masking.valuesIn(text))).not.toContain("9007199254740993");
  });

  test("any document comes back whole from its masked form", () => {
    const documents = fc.dictionary(fc.constantFrom("email", "phone", "sku", "address", "lines", "note"), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(documents, (document) => {
        const text = JSON.stringify(document);
        expect(masking.restore(masking.maskText(text), text)).toEqual({ text, refused: [] });
      }),
    );
  });
});

describe("an edited document", () => {
  const original = '{"email":"eva@example.com","phone":"070-1","note":"x"}';
  const masked = JSON.parse(masking.maskText(original));

  test("gets the untouched values back, whatever else was changed", () => {
    const edited = JSON.stringify({ note: "y", email: masked.email, phone: "070-2" });
    expect(JSON.parse(masking.restore(edited, original).text)).toEqual({ note: "y", email: "eva@example.com", phone: "070-2" });
  });

  test.each([
    '{"phone":701234567,"billing":{"phone":"701234567"}}',
    '{"phone":"701234567","billing":{"phone":7.01234567e8}}',
    '{"phone":"Berg\\u002d1","billing":{"phone":"Berg-1"}}',
    '{"phone":9007199254740993,"billing":{"phone":9007199254740992}}',
  ])("has each of the values that look alike as it was written: %s", (text) => {
    expect(masking.restore(masking.maskText(text), text)).toEqual({ text, refused: [] });
  });

  test("does not open a value by moving its mask to where it would be read", () => {
    expect(masking.restore(JSON.stringify({ ...masked, note: masked.email }), original).refused).toEqual(["/note"]);
    expect(masking.restore('{"email":"••• 00000000"}', original).refused).toEqual(["/email"]);
  });

  test("has no path written for each of its values, as a name of megabytes may stand above all of them", () => {
    const many = JSON.stringify({
      ["n".repeat(100_000)]: Array.from({ length: 300 }, (_, index) => ({ email: `e${index}`, note: '{"phone":"1"}' })),
    });
    const edited = masking.maskText(many);
    const misplaced = edited.replaceAll('"email"', '"sku"');
    let characters = 0;
    // eslint-disable-next-line typescript/unbound-method -- called below with the text that it belongs to
    const replaceAll = String.prototype.replaceAll;
    const spy = vi.spyOn(String.prototype, "replaceAll").mockImplementation(function spied(this: string, ...words: unknown[]) {
      characters += this.length;
      return Reflect.apply(replaceAll, this, words);
    });
    const [restored, { refused }] = [masking.restore(edited, many), masking.restore(misplaced, many)];
    spy.mockRestore();
    expect(characters).toBeLessThan(many.length);
    expect(restored).toEqual({ text: many, refused: [] });
    expect(refused).toHaveLength(50);
    expect(refused[1]).toBe(`/${"n".repeat(200)}/1/sku`);
  });
});

test.each([
  ['$.customer.email = "x"', true],
  ['$.billingAddress.city = "x"', true],
  ['$.customer.name contains "x"', true],
  ['$.customer[0].name = "x"', true],
  ['$["E-Mail"] = "x"', true],
  ['$.lines[*].sku = "x"', false],
  ['$.billingAddress.country = "SE"', false],
  // Masked whatever the rules are.
  ['$.attributes.api_key = "x"', true],
  ['$.credentials.password contains "a"', true],
  ['$.name = "x"', false],
])("the payload filter %s could tell of a masked value: %s", (filter, isConcealed) => {
  expect(masking.conceals(parsePayloadFilter(filter).path)).toBe(isConcealed);
});
