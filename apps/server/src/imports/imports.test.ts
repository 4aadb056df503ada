import type { EntityType, ImportPreview, Run, RunLine } from "@crossdock/contract";
import type pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import { csvLine } from "../api/csv.ts";
import { inTenant } from "../db.ts";
import { lineBecause } from "../errors/faults.ts";
import { csvRecord, pathsIn } from "../export-runs/lines.ts";
import { createDirectory, type Directory } from "../intake/directory.ts";
import { createIntake } from "../intake/intake.ts";
import { makeTenant, type TestTenant } from "../intake/testing.ts";
import { readFailure, readLineText } from "../runs/line-text.ts";
import { giveUpUploads, pruneRuns } from "../runs/pruning.ts";
import { startRunWorkers } from "../run-workers.ts";
import { RunRests, advanceRun, claimRun, finishRun, restRun } from "../runs/runs.ts";
import { callTenant, type TenantCall, type TestApp, testApp, waitingForLocks } from "../testing/test-app.ts";
import { SourceFault } from "./csv-reader.ts";
import { createGrouper } from "./documents.ts";
import { createReader, type Format } from "./readers.ts";
import { type ImportDeps, runImport } from "./run-import.ts";

let made: TestApp;
let owner: pg.Pool;
let directory: Directory;
let deps: ImportDeps;
let tenant: TestTenant;
let code: string;
let tenants = 0;

beforeAll(async () => {
  made = await testApp();
  owner = made.pool("owner", 1);
  const { pools, logger } = made.deps;
  directory = createDirectory(pools.app, made.deps);
  await directory.ready;
  deps = { pools, directory, intake: createIntake({ pool: pools.app, directory, logger }) };
});
afterAll(async () => {
  await directory.close();
  await made.close();
});
beforeEach(async () => {
  tenants += 1;
  code = `imported-${tenants}`;
  tenant = await makeTenant(made.deps, made.ownerUrl, code, [
    { connector: "wgr", code: "file", sourceTypes: ["item", "price", "stock", "order"] },
    { connector: "centra", code: "shop", deliveryMode: "pull", targetTypes: ["item", "price", "stock", "order"] },
  ]);
});

const call = <Answer>(...asked: TenantCall): Promise<Answer> => callTenant(made, code, ...asked);

async function put(id: number, part: number, text: string): Promise<number> {
  return (await made.call("admin", "PUT", `/api/v1/tenants/${code}/imports/${id}/parts/${part}`, { text })).statusCode;
}

type File = { entityType: string; format: string; mapping?: object; element?: string };

/** Hands a text in, in parts of so many characters, and starts it. */
async function handIn(file: File, text: string, partSize = 40_000): Promise<number> {
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", ...file };
  const { id } = await call<Run>("POST", "imports", body, 201);
  let parts = 0;
  for (let at = 0; at < text.length; at += partSize) {
    parts += 1;
    await put(id, parts, text.slice(at, at + partSize));
  }
  await call("POST", `imports/${id}/start`, { parts });
  return id;
}

async function carryOut(signal = new AbortController().signal): Promise<void> {
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  const { state, fault } = await runImport(deps, run, signal);
  await finishRun(made.deps.pools.worker, run, state, fault);
}

const money = (amount: string) => ({ amount, currency: "SEK" });
const runOf = (id: number): Promise<Run> => call("GET", `runs/${id}`);
const logOf = async (id: number): Promise<RunLine[]> => (await call<{ items: RunLine[] }>("GET", `runs/${id}/lines?limit=500`)).items;
const doneRuns = async (rejected: string): Promise<number[]> =>
  (await call<{ items: Run[] }>("GET", `runs?state=done&rejected=${rejected}`)).items.map((run) => run.id);
const linesOf = async (id: number): Promise<string[]> => (await logOf(id)).map(({ text }) => text);

async function documents(): Promise<Record<string, unknown>[]> {
  const sql = "select document::text as document from queue.message where tenant_id = $1 order by id";
  const { rows } = await owner.query<{ document: string }>(sql, [tenant.tenantId]);
  return rows.map(({ document }) => z.record(z.string(), z.unknown()).parse(JSON.parse(document)));
}

test("a CSV file becomes documents by its mapping; each line that does not fit is named, and the others go on", async () => {
  const csv = 'Artikel;Pris;Text\nA-1;1 299,50;"Kängor; ""varma"""\n;10;none\nA-2;abc;x\nA-3;5;"two\nlines"\nA-4;7,5;y\n';
  const mapping = { sku: "Artikel", "price.amount": "Pris", "price.currency": "=SEK", "attributes.text": "Text" };
  const id = await handIn({ entityType: "price", format: "csv", mapping }, csv, 7);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ kind: "import", state: "done", done: 5, accepted: 3, rejected: 2, startedBy: "Ada" });
  expect(await doneRuns("some")).toEqual([id]);
  expect([...(await doneRuns("none")), ...(await doneRuns("all"))]).not.toContain(id);
  expect(await linesOf(id)).toEqual([
    "line 3: sku: Invalid input: expected string, received undefined",
    'line 4: price.amount: must be a decimal number as text, e.g. "12.50"',
  ]);
  expect(await logOf(id)).toMatchObject([
    { line: 3, faults: [{ path: "sku", reason: "missing" }] },
    { line: 4, faults: [{ path: "price.amount", reason: "decimal-form" }] },
  ]);
  expect(await documents()).toMatchObject([
    { sku: "A-1", price: { amount: "1299.50", currency: "SEK" }, attributes: { text: 'Kängor; "varma"' } },
    { sku: "A-3", price: { amount: "5" }, attributes: { text: "two\nlines" } },
    { sku: "A-4", price: { amount: "7.5" } },
  ]);
});

test("rows are counted by what they changed, and each that an import passes over is named", async () => {
  const csv = "sku,quantity,updatedAt\nA,1,2025-11-21T08:00:00Z\nB,2,2025-11-21T08:00:00Z\n";
  await handIn({ entityType: "stock", format: "csv" }, csv);
  await carryOut();
  const later = "sku,quantity,updatedAt\nA,1,2025-11-22T08:00:00Z\nB,9,2025-11-20T08:00:00Z\nC,3,\nD,,\n";
  const id = await handIn(
    { entityType: "stock", format: "csv", mapping: { sku: "sku", quantity: "quantity", updatedAt: "updatedAt" } },
    later,
  );
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", done: 4, accepted: 1, unchanged: 2, rejected: 1 });
  expect(await logOf(id)).toMatchObject([
    { level: "error", line: 5 },
    { level: "warning", line: 3, text: "line 3: B@default: A newer stock is known already.", faults: [{ reason: "entity-outdated" }] },
  ]);
  const gone = await handIn(
    { entityType: "item", format: "csv", mapping: { sku: "sku", name: "=Z", isActive: "=no", deletedAt: "at" } },
    "sku,at\nZ,2025-11-22T08:00:00Z\n",
  );
  await carryOut();
  expect(await runOf(gone)).toMatchObject({ done: 1, accepted: 0, unchanged: 1 });
});

test("a row with a time that its source can't have yet is named, and the others go on", async () => {
  const csv = "sku,quantity,updatedAt\nA,1,2025-11-21T08:00:00Z\nB,2,9999-01-01T00:00:00Z\n";
  const id = await handIn({ entityType: "stock", format: "csv" }, csv);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", accepted: 1, rejected: 1 });
  expect(await linesOf(id)).toEqual([expect.stringMatching(/^line 3: updatedAt: The source's time 9999/)]);
});

const orderLines = [{ lineNumber: "1", sku: "A", description: null, quantity: "1", unitPrice: { amount: "10", currency: "SEK" } }];
const order = (orderNumber: string, email: string): string =>
  JSON.stringify({ orderNumber, currency: "SEK", orderedAt: "2025-11-21T08:00:00Z", customer: { email }, lines: orderLines });

test("a row with masks of an export is named, and the others go on", async () => {
  const id = await handIn({ entityType: "order", format: "ndjson" }, `${order("1", "••• 602861dc")}\n${order("2", "a@example.com")}\n`);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", accepted: 1, rejected: 1 });
  expect(await logOf(id)).toMatchObject([{ line: 1, faults: [{ path: "customer.email", reason: "mask-misplaced" }] }]);
  expect(await documents()).toMatchObject([{ orderNumber: "2" }]);
});

const orderMapping = {
  orderNumber: "no",
  orderedAt: "at",
  currency: "=SEK",
  "lines.sku": "sku",
  "lines.quantity": "qty",
  "lines.unitPrice.amount": "price",
  "lines.unitPrice.currency": "=SEK",
};

test("a CSV file without a mapping is read by its columns, which are the paths of the fields", async () => {
  // Spreadsheets like to end their lines in cells that nobody filled.
  const prices = "sku,price.amount,price.currency,includesTax,validFrom,,\nA,12.5,SEK,yes,,,\n";
  await handIn({ entityType: "price", format: "csv" }, prices);
  await carryOut();
  const lines = [
    "1,2026-11-21T08:00:00Z,SEK,A,1,9.90,SEK",
    "1,2026-11-21T08:00:00Z,SEK,B,2,5,SEK",
    "2,2026-11-21T09:00:00Z,SEK,A,1,9.90,SEK",
  ];
  const columns = "orderNumber,orderedAt,currency,lines.sku,lines.quantity,lines.unitPrice.amount,lines.unitPrice.currency";
  await handIn({ entityType: "order", format: "csv" }, [columns, ...lines].join("\n"));
  await carryOut();
  const [price, ...orders] = await documents();
  expect(price).toMatchObject({ sku: "A", price: { amount: "12.5", currency: "SEK" }, includesTax: true });
  expect(orders.map(({ orderNumber, lines: own }) => [orderNumber, Array.isArray(own) && own.length])).toEqual([
    ["1", 2],
    ["2", 1],
  ]);
});

test("rows of one order number become one order, also where a part of the file ends between them", async () => {
  const csv = "no,at,sku,qty,price\n1,2026-11-21T08:00:00Z,A,1,9.90\n1,2026-11-21T08:00:00Z,B,2,5\n2,2026-11-21T09:00:00Z,A,1,9.90\n";
  const id = await handIn({ entityType: "order", format: "csv", mapping: orderMapping }, csv, 60);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", done: 2, accepted: 2 });
  expect((await documents()).map(({ lines }) => Array.isArray(lines) && lines.length)).toEqual([2, 1]);
});

test("a file that names its order's number by the mapping alone is one order", async () => {
  const csv = "at,sku,qty,price\n2026-11-21T08:00:00Z,A,1,9.90\n2026-11-21T08:00:00Z,B,2,5\n";
  const id = await handIn({ entityType: "order", format: "csv", mapping: { ...orderMapping, orderNumber: "=W1" } }, csv);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", done: 1, accepted: 1 });
  expect(await documents()).toMatchObject([{ orderNumber: "W1", lines: [{ sku: "A" }, { sku: "B" }] }]);
});

const orderRow = (no: number, sku: string) => `${no},2026-11-21T08:00:00Z,${sku},1,9.90\n`;

test("nothing is imported of a file in which an order goes on behind rows of another, and the line and order are named", async () => {
  const others = Array.from({ length: 600 }, (_, index) => orderRow(index + 10, "A")).join("");
  const csv = `no,at,sku,qty,price\n${orderRow(1, "A")}${orderRow(1, "B")}${others}${orderRow(1, "C")}${orderRow(2, "A")}`;
  const id = await handIn({ entityType: "order", format: "csv", mapping: orderMapping }, csv, 9_000);
  await carryOut();
  expect(await runOf(id)).toMatchObject({
    state: "failed",
    done: 0,
    accepted: 0,
    failure: { reason: "file-order-scattered", values: { key: "1" }, line: 604 },
  });
  expect(await documents()).toEqual([]);
});

test("what a file's first records would become is told as an import reads them, and nothing is kept", async () => {
  const preview = (body: object) =>
    call<ImportPreview>("POST", "imports/preview", { entityType: "stock", isWhole: true, mapping: {}, ...body });
  const csv = "\uFEFFno;count\nA;3\nB;many\nC;1\nD;1\nE;1\nF;1\n";
  const read = await preview({ format: "csv", mapping: { sku: "no", quantity: "count" }, text: csv });
  expect(read).toMatchObject({ columns: ["no", "count"], failure: null });
  expect(read.records.map(({ line, document }) => [line, document && (JSON.parse(document) as { sku: string }).sku])).toEqual([
    [2, "A"],
    [3, null],
    [4, "C"],
    [5, "D"],
    [6, "E"],
  ]);
  expect(read.records[1]?.faults).toMatchObject([{ path: "quantity" }]);
  // Where the file goes on, its last line may not be whole.
  expect(await preview({ format: "ndjson", text: '{"sku":"A","quantity":"3"}\n{"sku":"B"', isWhole: false })).toMatchObject({
    columns: ["sku", "quantity"],
    records: [{ line: 1 }],
    failure: null,
  });
  const broken = await preview({ format: "csv", text: 'sku,quantity\nA,3\n"B,4\n' });
  expect(broken).toMatchObject({ records: [{ line: 2 }], failure: { line: 3, reason: "file-quote-open" } });
  expect(await call("GET", "runs")).toMatchObject({ items: [] });
});

test("a preview reads no further than what it shows", async () => {
  const text = `sku,quantity\n${"A,3\n".repeat(5)}"B,4\n`;
  const read = await call<ImportPreview>("POST", "imports/preview", { entityType: "stock", format: "csv", isWhole: true, text });
  expect(read).toMatchObject({ records: { length: 5 }, failure: null });
});

test("a line of CSV keeps what the mapping names, and is read when it is asked for", () => {
  const [record] = createReader("csv", "item", new Set(["b", "d"])).push(`a,b,a,d\n1,2,3\n${",".repeat(500)}`);
  expect(record).toMatchObject({ line: 2 });
  expect(record?.value).toEqual({ b: "2", d: "" });
});

test("an export that is imported again names the same objects, with the same amounts", async () => {
  const names = ["-ABC", "+46", "@x", "=cmd()", "'-A", "plain", "a;=1"];
  const text = [["sku", "quantity"], ...names.map((name, index) => [name, `-${index + 1}.5`])].map(csvLine).join("");
  const id = await handIn({ entityType: "stock", format: "csv" }, text);
  await carryOut();
  expect(await linesOf(id)).toEqual([]);
  expect((await documents()).map(({ sku, quantity }) => [sku, quantity])).toEqual(names.map((name, index) => [name, `-${index + 1}.5`]));
});

test.each<[EntityType, object[]]>([
  [
    "item",
    [
      {
        sku: "00042",
        name: "=Lamp",
        options: [{ name: "size", value: "L" }],
        categories: ["Light", "Lamps | all"],
        weight: { value: "1.50", unit: "kg" },
        images: ["a", "b"].map((name) => ({ url: `https://x.example/${name}.jpg` })),
        isActive: false,
      },
      { sku: "B", name: "Boots", isActive: true, attributes: { ean: "0123" } },
    ],
  ],
  [
    "price",
    [
      {
        sku: "A",
        priceList: "default",
        price: money("10.00"),
        tiers: ["2", "10"].map((minimumQuantity) => ({ minimumQuantity, price: money("9") })),
      },
    ],
  ],
  [
    "order",
    ["1", "2"].map((orderNumber) => ({
      orderNumber,
      kind: "sale",
      status: "open",
      orderedAt: "2025-11-21T08:00:00+01:00",
      currency: "SEK",
      customer: null,
      billingAddress: { street: ["Storgatan 1", "2 tr"], postalCode: "00123" },
      lines: [
        { lineNumber: "10", kind: "product", sku: "A", description: "Lamp", quantity: "-1.50", unitPrice: money("10.00") },
        { lineNumber: "20", kind: "shipping", sku: null, description: null, quantity: "1", unitPrice: money("49") },
      ],
    })),
  ],
])("an export of %s in CSV is handed in again as it was", async (entityType, given) => {
  const exported = given.map((document) => JSON.stringify({ schemaVersion: 1, ...document }));
  const columns = [...new Set(exported.flatMap(pathsIn))];
  const text = csvLine(columns) + exported.map((document) => csvRecord(document, columns)).join("");
  const id = await handIn({ entityType, format: "csv" }, text);
  await carryOut();
  expect(await linesOf(id)).toEqual([]);
  expect(await documents()).toEqual(exported.map((document) => JSON.parse(document)));
});

test("a number that may have a point for its thousands is refused where decimals have commas, and means what it says elsewhere", async () => {
  const mapping = { sku: "no", quantity: "count" };
  const refused = { reason: "number-ambiguous", values: { text: "1.299", thousands: "1299", decimals: "1.2990" } };
  const rows = ["A;12,50", "B;1.299", "C;0.125", "D;12.5", "E;1299"];
  for (const file of [
    { format: "csv", mapping, text: `no;count\n${rows.join("\n")}\n` },
    { format: "csv", text: `sku;quantity\n${rows.slice(1).join("\n")}\n` },
    { format: "csv", mapping, text: `no,count\n${rows.toReversed().join("\n").replaceAll(/;(.+)/g, ',"$1"')}\n` },
  ]) {
    const { text, ...how } = file;
    const id = await handIn({ entityType: "stock", ...how }, text);
    await carryOut();
    expect(await logOf(id)).toMatchObject([{ line: text.split("\n").findIndex((row) => row.startsWith("B")) + 1, faults: [refused] }]);
  }
  await handIn({ entityType: "stock", format: "csv", mapping }, 'no,count,note\nF,1.299,"1,5"\nG,12.50,\n');
  await carryOut();
  expect((await documents()).slice(-2)).toMatchObject([
    { sku: "F", quantity: "1.299" },
    { sku: "G", quantity: "12.50" },
  ]);
  const csv = "no;at;sku;qty;price\n1;2026-11-21T08:00:00Z;A;1;9,90\n1;2026-11-21T08:00:00Z;B;1;1.299\n";
  const order = await handIn({ entityType: "order", format: "csv", mapping: orderMapping }, csv);
  await carryOut();
  expect(await logOf(order)).toMatchObject([{ line: 2, faults: [{ path: "lines.1.unitPrice.amount", ...refused }] }]);
});

test("blanks in a number stand before three digits of it; elsewhere they part two numbers, which are refused", async () => {
  const numbers = ["1 299 000,50", "- 1\u00a0299", " 5 ", "12 50", "1 2", "1 2999", "1 299 5"];
  const text = `sku;quantity\n${numbers.map((number, index) => `${index};${number}`).join("\n")}\n`;
  const id = await handIn({ entityType: "stock", format: "csv" }, text);
  await carryOut();
  expect((await documents()).map(({ quantity }) => quantity)).toEqual(["1299000.50", "-1299", "5"]);
  expect((await logOf(id)).map(({ line }) => line)).toEqual([5, 6, 7, 8]);
});

test("attributes are texts as they stand in the file, whatever their names", async () => {
  const attributes = { quantity: "007", amount: "1.299", tags: "a|b", isActive: "no" };
  const names = Object.keys(attributes).map((name) => `attributes.${name}`);
  const text = `sku;quantity;${names.join(";")}\nA;1;${Object.values(attributes).join(";")}\n`;
  const id = await handIn({ entityType: "stock", format: "csv" }, text);
  await carryOut();
  expect(await linesOf(id)).toEqual([]);
  expect(await documents()).toMatchObject([{ sku: "A", attributes }]);
});

test("NDJSON and XML are read alike", async () => {
  const lines = '{"sku":"A","quantity":"3"}\nnonsense\n[]\n{"sku":"B","quantity":"4"}\n';
  const ndjson = await handIn({ entityType: "stock", format: "ndjson" }, lines);
  await carryOut();
  expect(await logOf(ndjson)).toMatchObject([
    { text: "line 2: no JSON", line: 2, faults: [{ path: "", reason: "file-line-not-json" }] },
    { text: "line 3: no JSON object", line: 3, faults: [{ path: "", reason: "file-line-no-object" }] },
  ]);
  const xml = "<shop>\n<product><no>C</no><level><count>5</count></level></product>\n<product><no>D</no></product></shop>";
  const id = await handIn({ entityType: "stock", format: "xml", element: "product", mapping: { sku: "no", quantity: "level.count" } }, xml);
  await carryOut();
  expect((await documents()).map(({ sku, quantity }) => [sku, quantity].join(" "))).toEqual(["A 3", "B 4", "C 5"]);
  expect(await linesOf(id)).toEqual([expect.stringMatching(/^line 3: quantity/)]);
});

const xmlLine = (no: number) =>
  `<line><lineNumber>${no}</lineNumber><sku>A</sku><description>d</description><quantity>1</quantity>
  <unitPrice><amount>1</amount><currency>EUR</currency></unitPrice></line>`;

test("what the documents have as lists may come once in XML, or not at all", async () => {
  const orders = [xmlLine(1) + xmlLine(2), xmlLine(1)].map((lines, index) => `<order><no>X${index}</no><lines>${lines}</lines></order>`);
  const mapping = { orderNumber: "no", orderedAt: "=2026-11-01T00:00:00Z", currency: "=EUR", lines: "lines.line" };
  const sold = await handIn({ entityType: "order", format: "xml", element: "order", mapping }, `<r>${orders.join("")}</r>`);
  await carryOut();
  expect(await linesOf(sold)).toEqual([]);
  const item = "<sku>I</sku><name>I</name><images><url>http://a.example/c.png</url></images><options/><tags>new</tags>";
  const items = await handIn({ entityType: "item", format: "xml" }, `<r><item>${item}</item></r>`);
  await carryOut();
  expect(await linesOf(items)).toEqual([]);
  expect(await documents()).toMatchObject([
    { orderNumber: "X0", lines: [{ lineNumber: "1" }, { lineNumber: "2" }] },
    { orderNumber: "X1", lines: [{ lineNumber: "1" }] },
    { sku: "I", images: [{ url: "http://a.example/c.png" }], options: [], tags: ["new"] },
  ]);
});

test("an element that comes again joins the list of those before it, which is not copied each time", () => {
  const { values } = Array.prototype;
  let walks = 0;
  Reflect.set(Array.prototype, Symbol.iterator, function (this: unknown[]) {
    walks += 1;
    return values.call(this);
  });
  const [record] = createReader("xml", "item", null).push(`<r><item>${"<a>x</a>".repeat(1_000)}</item></r>`);
  Reflect.set(Array.prototype, Symbol.iterator, values);
  expect(record?.value).toEqual({ a: Array(1_000).fill("x") });
  expect(walks).toBeLessThan(100);
});

test("numbers of a file keep all their digits", async () => {
  const line = '{"id":9007199254740993,"level":123456789012345678.5}';
  await handIn({ entityType: "stock", format: "ndjson", mapping: { sku: "id", quantity: "level" } }, line);
  await carryOut();
  expect(await documents()).toMatchObject([{ sku: "9007199254740993", quantity: "123456789012345678.5" }]);
});

test("elements may have the names of what every object has", async () => {
  const items = ["<constructor>A</constructor><toString>1</toString>", "<__proto__>B</__proto__><toString>2</toString>"];
  for (const [index, sku] of ["constructor", "__proto__"].entries()) {
    const mapping = { sku, quantity: "toString" };
    await handIn({ entityType: "stock", format: "xml", element: "item", mapping }, `<r><item>${items[index]}</item></r>`);
    await carryOut();
  }
  expect((await documents()).map(({ sku, quantity }) => [sku, quantity].join(" "))).toEqual(["A 1", "B 2"]);
});

test("a byte order mark before a file is none of its contents", async () => {
  const files = {
    csv: "sku,quantity\nA,1\n",
    ndjson: '{"schemaVersion":1,"sku":"B","quantity":"1"}\n',
    xml: "<r><item><schemaVersion>1</schemaVersion><sku>C</sku><quantity>1</quantity></item></r>",
  };
  for (const [format, text] of Object.entries(files)) {
    const mapping = { sku: "sku", quantity: "quantity" };
    const id = await handIn({ entityType: "stock", format, element: "item", mapping }, `\uFEFF${text}`);
    await carryOut();
    expect(await linesOf(id)).toEqual([]);
  }
  expect((await documents()).map(({ sku }) => sku)).toEqual(["A", "B", "C"]);
});

test("lines may end with a carriage return alone, as a Mac's spreadsheets write them", async () => {
  const text = 'sku,quantity\rA,1\rB,"two\nlines"\rC,3\r';
  const preview = { entityType: "stock", format: "csv", isWhole: true, text };
  expect(await call<ImportPreview>("POST", "imports/preview", preview)).toMatchObject({
    columns: ["sku", "quantity"],
    records: [{ line: 2 }, { line: 3, document: null }, { line: 5 }],
  });
  const id = await handIn({ entityType: "stock", format: "csv" }, `\uFEFF${text}`, 25);
  await carryOut();
  expect(await documents()).toMatchObject([{ sku: "A" }, { sku: "C" }]);
  expect(await logOf(id)).toMatchObject([{ line: 3 }]);
  expect((await rejectedText(id)).split("\r\n")[1]).toMatch(/^3,"?quantity: [^]*,B,"two\nlines"$/);
});

test("a row with more cells than columns is named, and the others go on; among the rows of orders it ends the file", async () => {
  const items = await handIn({ entityType: "item", format: "csv" }, "sku,name\nA,one\nB,two,or three\nC,four\n");
  await carryOut();
  expect(await runOf(items)).toMatchObject({ state: "done", accepted: 2, rejected: 1 });
  expect(await logOf(items)).toMatchObject([
    { text: "line 3: 3 cells, but 2 columns", line: 3, faults: [{ path: "", reason: "file-cells", values: { cells: 3, columns: 2 } }] },
  ]);
  const csv =
    "no,at,sku,qty\n1,2026-11-21T08:00:00Z,A,1\n2,2026-11-21T08:00:00Z,A,1\n2,2026-11-21T08:00:00Z,B,1,2\n2,2026-11-21T08:00:00Z,C,1\n";
  const price = { "lines.unitPrice.amount": "=1", "lines.unitPrice.currency": "=SEK", currency: "=SEK" };
  const mapping = { orderNumber: "no", orderedAt: "at", "lines.sku": "sku", "lines.quantity": "qty", ...price };
  const orders = await handIn({ entityType: "order", format: "csv", mapping }, csv);
  await carryOut();
  expect(await runOf(orders)).toMatchObject({ state: "failed", accepted: 1, fault: "line 4: 5 cells, but 4 columns" });
});

test("what stands before a fault in the same piece of a file is kept", async () => {
  const xml = "<shop><product><sku>A</sku><name>one</name></product></b></shop>";
  const id = await handIn({ entityType: "item", format: "xml", element: "product", mapping: { sku: "sku", name: "name" } }, xml);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "failed", accepted: 1 });
});

test("a file that breaks off keeps what was read, and says on which line it went wrong", async () => {
  const id = await handIn({ entityType: "item", format: "csv" }, 'sku,name\nA,one\nB,"two\n');
  await carryOut();
  const fault = "line 3: a quote is opened and never closed";
  expect(await runOf(id)).toMatchObject({
    state: "failed",
    accepted: 1,
    fault,
    failure: { message: "a quote is opened and never closed", reason: "file-quote-open", line: 3 },
  });
});

test.each([
  ["csv", `sku\n"${"x".repeat(1024 * 1024 + 1)}`, { line: 2, reason: "file-cell-endless" }],
  [
    "csv",
    `${Array.from({ length: 500 }, (_, n) => `c${n}`).join()}\nx\n${",".repeat(500)}`,
    { line: 3, reason: "file-line-cells", values: { max: "500" } },
  ],
  ["csv", ",".repeat(500), { line: 1, reason: "file-line-cells", values: { max: "500" } }],
  ["csv", "sku,price, sku\nA,1,B", { line: 1, reason: "file-column-twice", values: { column: "sku" } }],
  ["ndjson", "x".repeat(1024 * 1024 + 1), { line: 1, reason: "file-line-too-long", values: { max: "1048576" } }],
  ["xml", "<!DOCTYPE r><r/>", { line: 1, reason: "xml-document-type" }],
  ["xml", "<r>\n</b></r>", { line: 2, reason: "xml-end-strange", values: { name: "b" } }],
  ["xml", "<r><item>", { line: 1, reason: "xml-breaks-off" }],
  ["xml", "<r/><r/>", { line: 1, reason: "xml-second-document" }],
  ["xml", "plain<r/>", { line: 1, reason: "xml-text-outside" }],
  ["xml", "<r>< /></r>", { line: 1, reason: "xml-tag-nameless" }],
  ["xml", "<a>".repeat(100), { line: 1, reason: "xml-too-deep", values: { max: "64" } }],
  ["xml", `<r><item>${"x".repeat(1024 * 1024 + 1)}</item></r>`, { line: 1, reason: "xml-text-too-long", values: { max: "1048576" } }],
  ["xml", `<r><${"x".repeat(4 * 1024 * 1024 + 1)}`, { line: 1, reason: "xml-part-endless" }],
  ["xml", `<item>\n${"<product>x</product>".repeat(262_144)}`, { line: 1, reason: "xml-record-too-long", values: { max: "4194304" } }],
] as const)("what can't be read of a %s file is told by name, in the log too: %#", (format, text, failure) => {
  const message = faultOf(format, text);
  expect(readFailure(message)).toMatchObject(failure);
  const { line, ...fault } = failure;
  expect(readLineText(message)).toMatchObject({ text: message, line, faults: [{ path: "", ...fault }] });
});

test("an import ends where an order has more rows than any, before they fill the memory", () => {
  const grouper = createGrouper({ entityType: "order", format: "csv", mapping: { orderNumber: "shop", "lines.sku": "sku" } });
  const rows = Array.from({ length: 10_001 }, (_, index) => ({ line: index + 2, value: { shop: "one", sku: `S-${index}` } }));
  const read = () => Array.from(grouper.take(rows));
  expect(read).toThrow(new SourceFault(lineBecause(2, "file-order-rows", { max: 10_000 })));
});

function faultOf(format: Format, text: string): string {
  const reader = createReader(format, "item", null);
  try {
    Array.from(reader.push(text));
    Array.from(reader.end());
  } catch (error) {
    if (error instanceof SourceFault) return error.message;
    throw error;
  }
  return "";
}

test("of large rows fewer are stored at a time: those of sixteen parts", async () => {
  const lines = Array.from({ length: 40 }, (_, index) => `${JSON.stringify({ sku: `large-${index + 10}`, name: "A", isActive: true })}\n`);
  await handIn({ entityType: "item", format: "ndjson" }, lines.join(""), lines[0]?.length);
  const stored = vi.spyOn(deps.intake, "storeDocumentsIn");
  await carryOut();
  expect(stored.mock.calls.map(([, { documents }]) => documents.length)).toEqual([16, 16, 8]);
  stored.mockRestore();
});

test("a worker that is gone in the middle leaves whole batches, and the next one stores the rest, each row once", async () => {
  const rows = 2_300;
  const csv = `sku,name\n${Array.from({ length: rows }, (_, index) => `S-${index},Item ${index}`).join("\n")}\n`;
  const id = await handIn({ entityType: "item", format: "csv" }, csv);
  const stop = new AbortController();
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  // Killed before the third batch: as if the process were gone, nothing is given back.
  let batches = 0;
  const intake: ImportDeps["intake"] = {
    ...deps.intake,
    storeDocumentsIn: async (client, given) => {
      batches += 1;
      if (batches === 3) throw new Error("killed");
      return deps.intake.storeDocumentsIn(client, given);
    },
  };
  await expect(runImport({ ...deps, intake }, run, stop.signal)).rejects.toThrow("killed");
  expect(await runOf(id)).toMatchObject({ state: "running", done: 1_000 });
  await owner.query("update hub.run set lease_until = clock_timestamp() - interval '1 second' where tenant_id = $1", [tenant.tenantId]);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", done: rows, accepted: rows });
  const skus = (await documents()).map(({ sku }) => sku);
  expect(skus).toHaveLength(rows);
  expect(new Set(skus).size).toBe(rows);
});

test("an import rests from the batch on at which its integration point is switched off, and none is begun until that is over", async () => {
  const rows = 1_200;
  const csv = `sku,name\n${Array.from({ length: rows }, (_, index) => `S-${index},Item ${index}`).join("\n")}\n`;
  const file = { entityType: "item", format: "csv" };
  const id = await handIn(file, csv);
  const setActive = async (isActive: boolean) => {
    await owner.query("update hub.integration_point set is_active = $2 where tenant_id = $1 and code = 'file'", [
      tenant.tenantId,
      isActive,
    ]);
    await directory.fresh(tenant.tenantId);
  };
  const intake: ImportDeps["intake"] = {
    ...deps.intake,
    storeDocumentsIn: async (client, given) => {
      const receipt = await deps.intake.storeDocumentsIn(client, given);
      await setActive(false);
      return receipt;
    },
  };
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  await expect(runImport({ ...deps, intake }, run, new AbortController().signal)).rejects.toBeInstanceOf(RunRests);
  expect(await runOf(id)).toMatchObject({ state: "running", done: 500 });
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", ...file };
  expect(await call("POST", "imports", body, 409)).toMatchObject({ reason: "point-inactive" });
  await setActive(true);
  await owner.query("update hub.run set lease_until = null where tenant_id = $1", [tenant.tenantId]);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "done", done: rows, accepted: rows });
});

test("an import fails from the batch on at which its integration point is no source of its type any more", async () => {
  const rows = 600;
  const id = await handIn(
    { entityType: "item", format: "csv" },
    `sku,name\n${Array.from({ length: rows }, (_, index) => `S-${index},Item`).join("\n")}\n`,
  );
  const intake: ImportDeps["intake"] = {
    ...deps.intake,
    storeDocumentsIn: async (client, given) => {
      const receipt = await deps.intake.storeDocumentsIn(client, given);
      await owner.query(
        "update hub.integration_point set source_types = '{}', target_types = '{item}' where tenant_id = $1 and code = 'file'",
        [tenant.tenantId],
      );
      await directory.fresh(tenant.tenantId);
      return receipt;
    },
  };
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  const fault = "The integration point 'file' is no source of this entity type.";
  await expect(runImport({ ...deps, intake }, run, new AbortController().signal)).rejects.toThrow(fault);
  expect(await runOf(id)).toMatchObject({ done: 500 });
});

test.each([
  ["a collision with another process", "23505"],
  ["a statement that took too long", "57014"],
])("%s lets an import rest and go on", async (_, state) => {
  const id = await handIn({ entityType: "stock", format: "csv" }, "sku,quantity\nA,1\nB,2\n");
  await owner.query(`
    create function hub.collide() returns trigger language plpgsql as $$ begin
      raise exception 'in the way' using errcode = '${state}', schema = 'hub', table = 'entity_version';
    end $$;
    create trigger collide before insert on hub.entity_version execute function hub.collide()`);
  const workers = await startRunWorkers(made.deps);
  const turn = async () => {
    await owner.query("update hub.run set rests_until = null where tenant_id = $1", [tenant.tenantId]);
    await workers.chores.find(({ name }) => name === "run 1")?.run(new AbortController().signal);
    return runOf(id);
  };
  try {
    expect(await turn()).toMatchObject({ state: "running", done: 0 });
    expect(await turn()).toMatchObject({ state: "running", done: 0 });
    await owner.query("drop function hub.collide() cascade");
    expect(await turn()).toMatchObject({ state: "done", done: 2, accepted: 2 });
  } finally {
    await owner.query("drop function if exists hub.collide() cascade");
    await workers.stop();
  }
});

test("a run rests sixty times for what is in its way, and as often again after a step", async () => {
  const id = await handIn({ entityType: "stock", format: "csv" }, "sku,quantity\nA,1\n");
  const run = await claimRun(made.deps.pools.worker, tenant.tenantId);
  if (!run) throw new Error("nothing to run");
  const rest = () => restRun(made.deps.pools.worker, run, 0, 1);
  for (let turn = 1; turn <= 60; turn += 1) expect(await rest()).toBe(true);
  expect(await rest()).toBe(false);
  await inTenant(made.deps.pools.worker, tenant.tenantId, (client) => advanceRun(client, run, {}));
  expect(await rest()).toBe(true);
  expect(await runOf(id)).toMatchObject({ state: "running" });
});

test("an import is refused while parts are missing, for targets, and once it has started", async () => {
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", entityType: "item", format: "csv" };
  const { id } = await call<Run>("POST", "imports", body, 201);
  expect(await put(id, 2, "x")).toBe(204);
  await call("POST", `imports/${id}/start`, { parts: 2 }, 409);
  expect(await claimRun(made.deps.pools.worker, tenant.tenantId)).toBeNull();
  expect(await put(id, 1, "sku,name\n")).toBe(204);
  await call("POST", `imports/${id}/start`, { parts: 2 });
  expect(await put(id, 3, "x")).toBe(409);
  await call("POST", "imports", { ...body, integrationPointId: tenant.points["shop"]?.id }, 409);
  await call("POST", "imports", { ...body, integrationPointId: 999_999 }, 404);
});

test("an import whose file stops arriving is given up half an hour after its last part", async () => {
  const later = (minutes: number) =>
    owner.query("update hub.run set rests_until = rests_until - make_interval(mins => $2) where tenant_id = $1", [
      tenant.tenantId,
      minutes,
    ]);
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", entityType: "item", format: "csv" };
  const [{ id }, { id: whole }] = [await call<Run>("POST", "imports", body, 201), await call<Run>("POST", "imports", body, 201)];
  await put(whole, 1, "sku\nA-1\n");
  await call("POST", `imports/${whole}/start`, { parts: 1 });
  await later(29);
  expect(await put(id, 1, "sku\n")).toBe(204);
  await later(29);
  await giveUpUploads(made.deps.pools.worker);
  expect((await runOf(id)).state).toBe("waiting");
  await later(2);
  await giveUpUploads(made.deps.pools.worker);
  expect(await runOf(id)).toMatchObject({ state: "cancelled", failure: { reason: "import-given-up" }, finishedAt: expect.any(String) });
  expect(await put(id, 2, "A-2\n")).toBe(409);
  expect((await runOf(whole)).state).toBe("waiting");
});

test.each([
  ["comes just before its import is given up", ["part", "end"], 204, "waiting"],
  ["comes just after its import was given up", ["end", "part"], 409, "cancelled"],
] as const)("a part that %s is answered so", async (_, order, status, state) => {
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", entityType: "item", format: "csv" };
  const { id } = await call<Run>("POST", "imports", body, 201);
  await owner.query("update hub.run set rests_until = clock_timestamp() where tenant_id = $1 and id = $2", [tenant.tenantId, id]);
  const lock = await made.pool("owner", 1).connect();
  await lock.query("begin");
  await lock.query("select from hub.run where tenant_id = $1 and id = $2 for update", [tenant.tenantId, id]);
  const begin = { part: () => put(id, 1, "sku\n"), end: () => giveUpUploads(made.deps.pools.worker) };
  const first = begin[order[0]]();
  await expect.poll(() => waitingForLocks(owner)).toBe(1);
  const second = begin[order[1]]();
  await expect.poll(() => waitingForLocks(owner)).toBe(2);
  await lock.query("rollback");
  lock.release();
  expect(await Promise.all([first, second])).toContain(status);
  expect((await runOf(id)).state).toBe(state);
});

test("whoever sends more of a file that is not taken any more is told why", async () => {
  const body = { integrationPointId: tenant.points["file"]?.id, name: "file", entityType: "item", format: "csv" };
  const begin = async () => (await call<Run>("POST", "imports", body, 201)).id;
  const expectRefused = async (id: number, reason: string) => {
    for (const [method, path, sent] of [["PUT", "parts/1", { text: "sku\n" }] as const, ["POST", "start", { parts: 1 }] as const])
      expect(await call(method, `imports/${id}/${path}`, sent, 409)).toMatchObject({ code: "conflict", reason });
  };
  const [left, cancelled, started] = [await begin(), await begin(), await begin()];
  await call("POST", `runs/${cancelled}/cancel`);
  await put(started, 1, "sku\nA-1\n");
  await call("POST", `imports/${started}/start`, { parts: 1 });
  await owner.query("update hub.run set rests_until = clock_timestamp() where tenant_id = $1 and id = $2", [tenant.tenantId, left]);
  await giveUpUploads(made.deps.pools.worker);
  await expectRefused(left, "import-given-up");
  await expectRefused(cancelled, "import-cancelled");
  await expectRefused(started, "import-started");
  // Cancelled afterwards, it has started all the same.
  await call("POST", `runs/${started}/cancel`);
  await expectRefused(started, "import-started");
});

const rejectedRows = (id: number) => made.call("admin", "GET", `/api/v1/tenants/${code}/imports/${id}/rejected-rows?reason=corrected`);

async function rejectedText(id: number): Promise<string> {
  const answer = await rejectedRows(id);
  expect(answer.statusCode).toBe(200);
  return answer.body;
}

test("rows that did not fit can be had as they stand in their file, with the reasons, and are handed in again when they are corrected", async () => {
  const csv = '\uFEFF\nArtikel;Pris;"Not\ne"\r\nA-1;1,50;x\n"A;2";1.299;"two\n\n""lines"""\r\nA-3;2,50;y\n\n;=1+1;z\n\n';
  const mapping = { sku: "Artikel", "price.amount": "Pris", "price.currency": "=SEK" };
  const id = await handIn({ entityType: "price", format: "csv", mapping }, csv, 7);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ accepted: 2, rejected: 2, file: { hasRejectedRows: true } });
  const answer = await rejectedRows(id);
  expect(answer.headers).toMatchObject({
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": `attachment; filename="rejected-${id}.csv"`,
  });
  const text = answer.body;
  expect(text).toBe(
    [
      '\uFEFF#line;#reason;Artikel;Pris;"Not\ne"',
      '5;"price.amount: 1.299 can mean thousands or decimals: write 1299 or 1.2990";"A;2";1.299;"two\n\n""lines"""',
      `10;"sku: Invalid input: expected string, received undefined; price.amount: must be a decimal number as text, e.g. ""12.50""";;"'=1+1";z`,
      "",
    ].join("\r\n"),
  );
  const corrected = await handIn(
    { entityType: "price", format: "csv", mapping },
    text.replace(";1.299;", ";1299;").replace(`;;"'=1+1"`, ";A-4;5"),
  );
  await carryOut();
  expect(await runOf(corrected)).toMatchObject({ accepted: 2, rejected: 0, file: { hasRejectedRows: false } });
  expect(await documents()).toMatchObject([{ sku: "A-1" }, { sku: "A-3" }, { sku: "A;2", price: { amount: "1299" } }, { sku: "A-4" }]);
});

test("columns that say why rows did not fit are none of a file's fields, and don't pile up", async () => {
  const id = await handIn({ entityType: "item", format: "csv" }, "sku,name,isActive\nA,a,perhaps\nB,b,yes\nC\n");
  await carryOut();
  const text = await rejectedText(id);
  const head = "#line,#reason,sku,name,isActive\r\n";
  const noFlag = '"isActive: Invalid input: expected boolean, received string",A,a,perhaps\r\n';
  expect(text).toBe(`${head}2,${noFlag}4,"name: Invalid input: expected string, received undefined",C\r\n`);
  const again = await handIn({ entityType: "item", format: "csv" }, text.replace("C\r\n", "C,c\r\n"));
  await carryOut();
  expect(await runOf(again)).toMatchObject({ accepted: 1, rejected: 1 });
  expect(await rejectedText(again)).toBe(head + `2,${noFlag}`);
  const quoted = await handIn({ entityType: "item", format: "csv" }, text.replace("#line,#reason", '"#line","#reason"'));
  await carryOut();
  expect(await rejectedText(quoted)).toBe(text.replace("\r\n4,", "\r\n3,"));
});

test("an order that did not fit is had with all of its rows", async () => {
  const csv = `no,at,sku,qty,price\n${orderRow(1, "A")}${orderRow(2, "B")}${orderRow(2, "")}${orderRow(3, "C")}${orderRow(4, "D")}"5,`;
  const id = await handIn({ entityType: "order", format: "csv", mapping: orderMapping }, csv.replace("3,2026", "3,soon 2026"), 9);
  await carryOut();
  expect(await runOf(id)).toMatchObject({ state: "failed", accepted: 1, rejected: 2 });
  expect(await rejectedText(id)).toBe(
    [
      "#line,#reason,no,at,sku,qty,price",
      `3,"lines.1.sku: Invalid input: expected string, received undefined",${orderRow(2, "B").trim()}`,
      `,,${orderRow(2, "").trim()}`,
      `5,"orderedAt: must be an ISO 8601 time with a zone",${orderRow(3, "C").trim().replace("3,", "3,soon ")}`,
      "",
    ].join("\r\n"),
  );
});

test("rejected rows of NDJSON are had as they came, and more than the log names", async () => {
  const lines = Array.from(
    { length: 1_300 },
    (_, index) => `{ "sku": "A-${index}", "name": "a"${index % 100 === 0 ? "" : ' , "other": 1'} }`,
  );
  const id = await handIn({ entityType: "item", format: "ndjson" }, [...lines, "no JSON"].join("\n"), 9_000);
  await carryOut();
  expect((await runOf(id)).rejected).toBe(1_288);
  expect(await rejectedText(id)).toBe([...lines.filter((_, index) => index % 100 !== 0), "no JSON", ""].join("\n"));
});

test("rejected rows are had for a day, with a reason that is kept, and not of XML", async () => {
  const id = await handIn({ entityType: "item", format: "csv" }, "sku\nA\n");
  await carryOut();
  expect((await made.call("admin", "GET", `/api/v1/tenants/${code}/imports/${id}/rejected-rows`)).statusCode).toBe(400);
  await rejectedText(id);
  const audited = await made.call("admin", "GET", `/api/v1/audit-events?tenant=${code}&action=downloadRejectedRows`);
  expect(audited.json()).toMatchObject({
    items: [{ outcome: "done", targetKind: "runs", targetId: String(id), reason: "corrected" }],
  });
  const old = "update hub.run set finished_at = finished_at - interval '25 hours' where tenant_id = $1";
  await owner.query(old, [tenant.tenantId]);
  await pruneRuns(made.deps.pools.worker, 30);
  const gone = await rejectedRows(id);
  expect([gone.statusCode, gone.json()]).toMatchObject([409, { reason: "import-rows-over" }]);
  expect(await runOf(id)).toMatchObject({ rejected: 1, file: { hasRejectedRows: false } });
  const xml = await handIn({ entityType: "item", format: "xml", element: "item" }, "<r><item><sku>A</sku></item></r>");
  await carryOut();
  expect(await runOf(xml)).toMatchObject({ rejected: 1, file: { hasRejectedRows: false } });
  expect((await rejectedRows(xml)).statusCode).toBe(409);
});

test("a file of rejected rows breaks off where its import's is being deleted", async () => {
  const id = await handIn({ entityType: "item", format: "csv" }, `sku\nA\n${"B\n".repeat(10)}`, 8);
  await carryOut();
  await owner.query("delete from hub.import_part where tenant_id = $1 and run_id = $2 and number > 2", [tenant.tenantId, id]);
  const answer = await rejectedRows(id);
  expect([answer.statusCode, answer.json()]).toMatchObject([409, { reason: "import-rows-over" }]);
});
