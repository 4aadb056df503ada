import { type Sandbox, startSandbox } from "@crossdock/sandbox";
import { type EntityType, canonicalSchemas, connectorCatalogue } from "@crossdock/contract";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OutboundRequest, Verdict } from "../connector.ts";
import { connectors } from "../index.ts";

const { wgr: generic } = connectors;
const document = '{"sku":"85231G","name":"Boots","weight":{"value":"1.50","unit":"kg"}}';

type Options = { credentials?: object; key?: string; externalId?: string | null; entityType?: EntityType };

function prepare(settings: object, { credentials = {}, key = "85231G", externalId = null, entityType = "item" }: Options = {}) {
  return generic.request({
    entityType,
    document,
    key,
    externalId,
    settings: { url: "https://erp.example.com/api/", ...settings },
    credentials,
    messageId: "42",
  });
}

function receive(body: unknown, settings: object = {}, more: object = { entityType: "item" }) {
  return generic.receive({ body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body)), headers: {}, settings, ...more });
}

describe("every catalogue entry without a connector of its own", () => {
  test("is served by this one, for the entity types of its endpoints", () => {
    for (const [code, connector] of Object.entries(connectors)) {
      expect(connector.code).toBe(code);
      const catalogued = connectorCatalogue[connector.code].endpoints.map(({ entityType }) => entityType);
      expect(connector.entityTypes.deliver).toEqual(expect.arrayContaining(catalogued));
      expect("deliver" in connector.settingsSchema.shape).toBe(connectorCatalogue[connector.code].kind === "generic");
    }
  });
});

describe("an item that its source deleted", () => {
  const deleted = { sku: "A-1", name: "Boots", isActive: false, deletedAt: "2026-11-02T08:30:00Z" };
  const input = {
    entityType: "item",
    document: JSON.stringify(deleted),
    key: "A-1",
    externalId: null,
    messageId: "1",
  } as const;
  const requestBy = (template?: string) =>
    generic.request({ ...input, credentials: {}, settings: { url: "https://erp.example.com", deliver: { item: { template } } } });

  test("is told as it is, or by a template that says that it has gone", async () => {
    expect(await requestBy()).toMatchObject({ body: input.document });
    expect(await requestBy('{"article": sku, "active": isActive}')).toMatchObject({ body: '{"article":"A-1","active":false}' });
    expect(await requestBy('{"article": sku, "endOfLife": deletedAt}')).toMatchObject({ body: expect.stringContaining("endOfLife") });
  });

  test("fails in words where the template tells the same of it as of one that is sold", async () => {
    expect(await requestBy('{"article": sku, "text": name}')).toMatchObject({ kind: "dead", error: { class: "not-sold" } });
  });
});

describe("settings to begin with", () => {
  test.each(Object.values(connectors).filter(({ profile }) => profile !== undefined))(
    "of $code fit their own schema",
    ({ settingsSchema, profile }) => {
      expect(settingsSchema.safeParse(profile).error?.issues).toBeUndefined();
    },
  );

  test("speak the system's own words where they are known", async () => {
    const document = { sku: "A-1", name: "Boots", isActive: false, barcode: "731", images: [{ url: "https://x.example/1.jpg" }] };
    const settings = { ...connectors.wgr.profile, url: "https://adapter.example", auth: "none" };
    const input = {
      entityType: "item",
      document: JSON.stringify(document),
      key: "A-1",
      externalId: null,
      messageId: "1",
    } as const;
    const request = await connectors.wgr.request({ ...input, settings, credentials: {} });
    expect(JSON.parse(("body" in request && request.body) || "null")).toEqual({
      "Article number": "A-1",
      "Product name": "Boots",
      EAN: "731",
      Hidden: "1",
      "Image 1": "https://x.example/1.jpg",
    });
    const received = await connectors.delogue.receive({
      body: Buffer.from('[{"StyleNumber":"S1","StyleName":"Parka"}]'),
      headers: {},
      settings: connectors.delogue.profile,
      entityType: "item",
    });
    expect(received).toMatchObject({ documents: [{ entityType: "item", document: { sku: "S1", name: "Parka", isActive: true } }] });
  });
});

describe("delivery", () => {
  test("without settings for an entity, the document goes out byte for byte to the path of its entity type", async () => {
    expect(await prepare({})).toEqual({
      method: "POST",
      url: "https://erp.example.com/api/item",
      headers: { "content-type": "application/json", "idempotency-key": "42", "x-crossdock-message-id": "42", "x-crossdock-key": "85231G" },
      body: document,
      secretHeaders: [],
      statusDecides: true,
    });
  });

  test.each([
    [{}, false],
    [{ deliver: { item: { path: "items/{key}", externalIdPath: "id" }, order: { path: "{externalId}" } } }, false],
    [{ deliver: { item: { path: "items/{externalId}" } } }, true],
    [{ deliver: { item: { template: "{}" } } }, true],
    [{ deliver: "no settings" }, true],
  ])("with %o the external id is needed: %s", (settings, isNeeded) => {
    expect(generic.needsExternalId?.({ entityType: "item", settings })).toBe(isNeeded);
    expect(connectors.magento.needsExternalId?.({ entityType: "item", settings })).toBe(isNeeded);
    expect(connectors.magento.needsExternalId?.({ entityType: "item", settings: { ...settings, baseUrl: "https://m.example" } })).toBe(
      true,
    );
  });

  test("a template makes the body, with the document as its input and key and external id at hand", async () => {
    const template = '{"id": $externalId, "article": sku, "grams": $number(weight.value) * 1000, "ref": $key}';
    const request = await prepare({ deliver: { item: { method: "PUT", path: "articles/{key}", template } } }, { externalId: "e1" });
    expect(request).toMatchObject({ method: "PUT", url: "https://erp.example.com/api/articles/85231G" });
    expect(JSON.parse((request as OutboundRequest).body ?? "")).toEqual({ id: "e1", article: "85231G", grams: 1500, ref: "85231G" });
  });

  test.each(["../../admin", "...", "a/b?c#d", "å b", "%2e%2e"])("the key %s can't leave its path segment", async (key) => {
    const request = await prepare({ deliver: { item: { path: "items/{key}" } } }, { key });
    const { pathname, search, hash } = new URL((request as OutboundRequest).url);
    expect(pathname.split("/").slice(0, 3)).toEqual(["", "api", "items"]);
    expect(pathname.split("/")).toHaveLength(4);
    expect(search + hash).toBe("");
  });

  test.each([".", ".."])("the key %s, which URL parsers resolve even when it is encoded, is refused", async (key) => {
    expect(await prepare({ deliver: { item: { path: "items/{key}" } } }, { key })).toMatchObject({ kind: "dead", error: { class: "key" } });
    expect(await prepare({}, { key })).toMatchObject({ method: "POST" });
  });

  test("a path that needs an external id waits for none: the failure says so", async () => {
    expect(await prepare({ deliver: { item: { path: "items/{externalId}" } } })).toMatchObject({
      kind: "dead",
      error: { class: "configuration" },
    });
  });

  test.each([
    ["basic", { username: "u", password: "p:å" }, "authorization", `Basic ${Buffer.from("u:p:å").toString("base64")}`],
    ["bearer", { token: "t" }, "authorization", "Bearer t"],
    ["api-key", { apiKey: "k" }, "x-key", "k"],
  ])("auth %s sets its header, names it as secret, and fails for good without credentials", async (auth, credentials, name, value) => {
    const request = await prepare({ auth, apiKeyHeader: "X-Key" }, { credentials });
    expect(request).toMatchObject({ headers: { [name]: value }, secretHeaders: [name] });
    expect(await prepare({ auth, apiKeyHeader: "X-Key" })).toMatchObject({ kind: "dead", error: { class: "configuration" } });
  });

  test("client credentials are exchanged for a token first, and the delivery goes on with it", async () => {
    const settings = { auth: "oauth2-client-credentials", tokenUrl: "https://id.example.com/token", scope: "erp" };
    const { grant, ...request } = (await prepare(settings, { credentials: { clientId: "id", clientSecret: "s/" } })) as OutboundRequest;
    expect(request).toMatchObject({ url: "https://erp.example.com/api/item", body: document });
    expect(request.headers["authorization"]).toBeUndefined();
    expect(grant?.request).toMatchObject({
      url: "https://id.example.com/token",
      body: "grant_type=client_credentials&scope=erp",
      secretHeaders: ["authorization"],
      hasSecretAnswer: true,
    });
    expect(grant?.request.headers["authorization"]).toBe(`Basic ${Buffer.from("id:s%2F").toString("base64")}`);
    const read = (body: string, status = 200) => grant?.read({ status, headers: {}, body });
    expect(read('{"access_token":"abc","expires_in":60}')).toEqual({ kind: "token", token: "abc", expiresInSeconds: 60 });
    expect(read('{"access_token":"abc","expires_in":"60"}')).toMatchObject({ expiresInSeconds: 60 });
    expect(read('{"access_token":"abc","expires_in":{}}')).toMatchObject({ expiresInSeconds: null });
    expect(read('{"access_token":"abc"}')).toMatchObject({ expiresInSeconds: null });
    expect(read("{}", 503)).toMatchObject({ kind: "retry", isTargetFault: true, error: { class: "http-503" } });
    const refused = { kind: "retry", isTargetFault: true, error: { class: "authorization" } };
    for (const status of [400, 401, 403]) expect(read("{}", status)).toMatchObject(refused);
    for (const body of ['{"access_token":"a\\r\\nx: y"}', "{}", "null", "no JSON"]) expect(read(body)).toMatchObject(refused);
  });
});

async function read(status: number, body: string, headers: Record<string, string> = {}): Promise<Verdict> {
  const request = (await prepare({ deliver: { item: { externalIdPath: "data.id" } } })) as OutboundRequest;
  return generic.verdict({ entityType: "item", request, response: { status, headers, body } });
}

function faultOf(settings: object) {
  return generic.settingsSchema.safeParse(settings).error?.issues.map((issue) => issue.path.join("."));
}

describe("answers", () => {
  test.each([
    [201, '{"data":{"id":9007199254740993}}', { kind: "delivered", externalId: "9007199254740993" }],
    [200, '{"data":{"id":"x"}}', { kind: "delivered", externalId: "x" }],
    [200, "<html>", { kind: "delivered" }],
    [204, "", { kind: "delivered" }],
    [302, "", { kind: "dead" }],
    [400, "no", { kind: "dead", error: { class: "http-400", message: "HTTP 400: no" } }],
    [401, "no", { kind: "retry", isTargetFault: true, error: { class: "http-401", message: "HTTP 401: no" } }],
    [403, "", { kind: "dead" }],
    [408, "", { kind: "retry", isTargetFault: false }],
    [425, "", { kind: "retry", isTargetFault: false }],
    [429, "", { kind: "retry", isTargetFault: true }],
    [500, "plain", { kind: "retry", isTargetFault: true, error: { message: "HTTP 500: plain" } }],
  ])("%d %s", async (status, body, expected) => {
    expect(await read(status, body)).toMatchObject(expected);
  });

  test("an id is told whole or, by whoever keeps it, not at all: its beginning would be the id of something else", async () => {
    const id = "x".repeat(501);
    expect(await read(200, JSON.stringify({ data: { id } }))).toEqual({ kind: "delivered", externalId: id });
  });

  test("a blank external id, which in a path would name the whole collection, is none", async () => {
    expect(await read(200, '{"data":{"id":" "}}')).toEqual({ kind: "delivered" });
  });

  test.each([
    ["2.5", 2_500],
    ["0", 0],
    ["999999999", 86_400_000],
    ["-1", undefined],
    ["Wed, 21 Oct 2026 07:28:00 GMT", undefined],
  ])("Retry-After %s is %s ms", async (header, expected) => {
    const { kind, ...verdict } = await read(503, "", { "retry-after": header });
    expect(kind).toBe("retry");
    expect("retryAfterMs" in verdict ? verdict.retryAfterMs : undefined).toBe(expected);
  });
});

describe("receiving", () => {
  test("without an expression the message is taken as it is, one document or a list", async () => {
    expect(await receive(document)).toEqual({ kind: "documents", documents: [{ entityType: "item", document: JSON.parse(document) }] });
    expect(await receive(`[${document},${document}]`)).toMatchObject({ documents: [{}, {}] });
    expect(await receive("[]")).toMatchObject({ kind: "ignored" });
  });

  test("an expression translates; what it gives is canonical", async () => {
    const expression = '$.products.{"sku": $string(id), "name": title, "attributes": {"abv": abv}}';
    const received = await receive(
      {
        products: [
          { id: 59101, title: "Mouton", abv: 12.5 },
          { id: 1, title: null },
        ],
      },
      { receive: { item: { expression } } },
    );
    const documents = received.kind === "documents" ? received.documents : [];
    expect(documents.map((each) => canonicalSchemas.item.parse(each.document).sku)).toEqual(["59101", "1"]);
  });

  test("a webhook has to say what it is, unless there is only one thing it can be", async () => {
    expect(await receive(document, {}, {})).toMatchObject({ kind: "rejected" });
    expect(await receive(document, {}, { headers: { "x-crossdock-entity-type": "item" } })).toMatchObject({ kind: "documents" });
    expect(await receive(document, {}, { headers: { "x-crossdock-entity-type": "__proto__" } })).toMatchObject({ kind: "rejected" });
    const input = { body: Buffer.from("{}"), headers: {}, settings: {} };
    expect(await connectors.optimizely.receive(input)).toMatchObject({ documents: [{ entityType: "order" }] });
  });

  test.each([
    ["endless recursion", "($f := function($x) { $f($x + 1) }; $f(1))"],
    ["deep recursion", "($f := function($x) { 1 + $f($x + 1) }; $f(1))"],
    ["a long list", "[1..10000000]"],
    ["many steps", "$map([1..20000], function($v) { $map([1..100], function($w) { $w * $v }) })"],
    [
      "a text that doubles",
      '{"sku": "a", "title": $string($length(($f := function($s, $n) { $n = 0 ? $s : $f($s & $s, $n - 1) }; $f("xxxxxxxx", 25))))}',
    ],
    [
      "a document that holds itself twice, again and again",
      '{"sku": "a", "title": $string(($f := function($o, $n) { $n = 0 ? $o : $f({"a": $o, "b": $o}, $n - 1) }; $f({"x": 1}, 28)))}',
    ],
    ["many texts with long ones between", '{"sku": $join([1..20000].$string(), $pad("", 9000))}'],
    ["many values compared with each other", '{"sku": "a", "title": $string($count($distinct([1..20000])))}'],
    ["a picture of names side by side", '$toMillis($pad("a", 200, "a") & "1", "[FNn][MNn][PNn][FNn][MNn][PNn]")'],
    ["a picture of numbers with digits between", '$toMillis($pad("1", 200, "1") & "x", "[Y]1[M]1[D]1[H]1[m]1[s]")'],
    ["a picture in words", '$toMillis($pad("six", 300, "six") & "x", "[Yw][Mw][Dw]")'],
    ["a long picture of a number", '{"sku": $string($length($formatNumber(1, $pad("0", 101, "0"))))}'],
    ["a long picture of a whole number", '{"sku": $string($length($formatInteger(1, $pad("0", 101, "0"))))}'],
    ["a whole number by a long picture", '{"sku": "a" & $parseInteger("1", $pad("0", 101, "0"))}'],
    ["a long picture of a time", '{"sku": $string($length($fromMillis(0, $pad("[Y]", 101, "-"))))}'],
    ["a time by a long picture", '{"sku": "a" & $toMillis("1970", $pad("[Y]", 101, "-"))}'],
    ["a long text to look for", '{"sku": "a", "title": $string($contains("a", $pad("a", 1001, "a")))}'],
    ["a long text to split by", '{"sku": $split("a", $pad("a", 1001, "a"))[0]}'],
    ["a long text to stop before", '{"sku": $substringBefore("a", $pad("a", 1001, "a"))}'],
    ["a long text to begin behind", '{"sku": $substringAfter("a", $pad("a", 1001, "a"))}'],
    ["a long text to replace", '{"sku": $replace("a", $pad("a", 1001, "a"), "b")}'],
    ["a text put in often", '{"sku": $string($length($replace($pad("", 9000), " ", $pad("", 9000))))}'],
    ["code made at run time", '$eval("1 + 1")'],
    ["a function of the host", '$.constructor.constructor("return process")()'],
  ])("%s comes to nothing, and soon", async (_name, expression) => {
    const started = performance.now();
    const received = await receive({ a: 1 }, { receive: { item: { expression } } });
    expect(received.kind).not.toBe("documents");
    // Before the clock would have ended it.
    expect(performance.now() - started).toBeLessThan(9_000);
  });

  test("while an expression takes long, all else in the process goes on", async () => {
    let turns = 0;
    let isDone = false;
    const count = (): void => {
      turns += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    const values = Array.from({ length: 2_000 }, (_, index) => index);
    await receive({ values }, { receive: { item: { expression: "$count(values.($x := $; $$.values[$ = $x]))" } } });
    isDone = true;
    expect(turns).toBeGreaterThan(10);
  });

  test("an order of three thousand lines has the steps it needs", async () => {
    const expression = '{"sku": "a", "title": $string($count(lines.{"q": $string($round(q * p, 2)), "s": $uppercase($trim(s))}))}';
    const lines = Array.from({ length: 3000 }, (_, index) => ({ s: ` sku-${index} `, q: index, p: 1.5 }));
    expect(await receive({ lines }, { receive: { item: { expression } } })).toMatchObject({ documents: [{ document: { title: "3000" } }] });
  });

  test("a document with a long text in it has the steps to be copied, and texts are joined", async () => {
    const long = "x".repeat(1_000_000);
    const expression = '{"sku": $join(["a", b], "-") & $join(nothing), "title": "t", "description": $trim(long)}';
    const received = await receive({ b: "b", long }, { receive: { item: { expression } } });
    expect(received).toMatchObject({ documents: [{ document: { sku: "a-b" } }] });
    expect(JSON.stringify(received)).toContain(long);
  });

  test("numbers and times are written by a picture, and texts and lists taken apart and put in order", async () => {
    const parts = [
      '$formatNumber(1234.5, "#,##0.00")',
      '$formatNumber(1, "0,0", {"decimal-separator": ","})',
      '$formatInteger(12, "0001")',
      '$string($parseInteger("0012", "0000"))',
      '$fromMillis(0, "[Y]-[M01]", "+0100")',
      '$join($split("a,b,c", ",", 2), "|")',
      '$substringBefore("a-b", "-") & $substringAfter("a-b", "-")',
      '$replace("a.b.c", ".", "$0", 1)',
      '"a.b" ~> $contains(".") ~> $string()',
      "$string($sort(list))",
      '$string($sort(["b", "a"]))',
      "$string($sort(list, function($l, $r) { $l < $r }))",
      '$string($spread([{"a": 1, "b": [2]}, {"c": 3}]))',
      '$string($spread({"a": 1}))',
      '$string(list.$formatInteger("0"))',
    ];
    const expression = `{"sku": "a", "title": $join([${parts.join(",")}], " ")}`;
    expect(await receive({ list: [10, 2, 33] }, { receive: { item: { expression } } })).toMatchObject({
      documents: [
        {
          document: {
            title:
              '1,234.50 1,0 0012 12 1970-01 a|b ab a$0b.c true [2,10,33] ["a","b"] [33,10,2] [{"a":1},{"b":[2]},{"c":3}] {"a":1} ["10","2","33"]',
          },
        },
      ],
    });
    const many = Array.from({ length: 20_000 }, (_, index) => ({ [`a${index}`]: index }));
    const long = '{"sku": "a", "title": $string($count($spread(many))) & $string($sort(many.*)[0])}';
    const began = performance.now();
    expect(await receive({ many }, { receive: { item: { expression: long } } })).toMatchObject({
      documents: [{ document: { title: "200000" } }],
    });
    expect(performance.now() - began).toBeLessThan(9_000);
  });

  test("times are read by a picture, and equal values counted once", async () => {
    const times = [
      ["20261122", "[Y0001][M01][D01]"],
      ["Sunday, 22nd November 2026 09:05 pm", "[F], [D1o] [MNn] [Y] [h01]:[m01] [Pn]"],
      ["22November2026", "[D01][MNn][Y0001]"],
      ["2026-11-22T10:00:00.5+01:00", "[Y0001]-[M01]-[D01]T[H01]:[m01]:[s01].[f001][Z01:01]"],
    ].map(([text, picture]) => `$toMillis("${text}", "${picture}")`);
    const expression = `{"sku": "a", "title": $join([${times.join(",")}].$fromMillis($), " ") & $string($distinct(list))}`;
    expect(await receive({ list: [{ a: 1, b: [2] }, 1, { b: [2], a: 1 }, 1] }, { receive: { item: { expression } } })).toMatchObject({
      documents: [
        {
          document: {
            title: '2026-11-22T00:00:00.000Z 2026-11-22T21:05:00.000Z 2026-11-22T00:00:00.000Z 2026-11-22T09:00:00.500Z[{"a":1,"b":[2]},1]',
          },
        },
      ],
    });
  });

  test("text is padded within bounds", async () => {
    const received = await receive({ a: "x" }, { receive: { item: { expression: '{"sku": $pad(a, -1000000000)}' } } });
    expect(JSON.stringify(received).length).toBeLessThan(11_000);
  });

  test("a document can't reach the prototypes of others through an expression", async () => {
    const expression = '{"__proto__": {"polluted": 1}, "constructor": {"prototype": {"polluted": 1}}}';
    await receive('{"__proto__": {"polluted": 1}}', { receive: { item: { expression } } });
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

describe("settings", () => {
  test.each([
    ["a template that can't be read", { deliver: { item: { template: "{" } } }, "deliver.item.template"],
    [
      "a regular expression, whose running time nobody can bound",
      { receive: { item: { expression: "$match(a, /(a+)+$/)" } } },
      "receive.item.expression",
    ],
    ["another scheme than http", { url: "file:///etc/passwd" }, "url"],
    ["a header that ends the headers", { headers: { a: "b\r\nc: d" } }, "headers.a"],
    ["an unknown entity type", { deliver: { items: {} } }, "deliver"],
  ])("%s is refused where it is entered", (_name, settings, path) => {
    expect(faultOf(settings)).toEqual([path]);
  });

  test("that changed behind the server's back become a failure that an operator sees", async () => {
    expect(await prepare({ url: 7 })).toMatchObject({ kind: "dead", error: { class: "configuration" } });
    expect(await receive("{}", { receive: 7 })).toMatchObject({ kind: "rejected" });
  });
});

describe("over the wire", () => {
  let sandbox: Sandbox;
  beforeAll(async () => {
    sandbox = await startSandbox();
  });
  afterAll(() => sandbox.close());

  test("the sandbox receives the document under its business key and message id", async () => {
    const { method, url, headers, body } = (await prepare({ url: `${sandbox.url}/generic/erp` }, { key: "å/1" })) as OutboundRequest;
    expect((await fetch(url, { method, headers, body })).status).toBe(200);
    expect(sandbox.received("erp")).toMatchObject([{ entity: "item", key: "å/1", messageId: "42", body: document }]);
  });
});
