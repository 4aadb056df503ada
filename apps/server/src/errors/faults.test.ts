import { Code, EntityType, RecordId, RecordIdText, fromText, reasons } from "@crossdock/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { because, faultBecause, faultsOf, inDocument } from "./faults.ts";

const why = (schema: z.ZodType, value: unknown) =>
  faultsOf(schema.safeParse(value).error?.issues ?? [], inDocument).map(({ reason, values }) => (values ? [reason, values] : [reason]));

test("what a schema says of a value has a name and values, by which other languages tell it", () => {
  expect(why(z.object({ name: z.string() }), {})).toEqual([["missing"]]);
  expect(why(z.object({ id: RecordId }), {})).toEqual([["missing"]]);
  expect(why(z.object({ id: RecordIdText }), {})).toEqual([["missing"]]);
  expect(why(z.object({ name: z.string() }), { name: 1 })).toEqual([["wrong-type", { expected: "string" }]]);
  expect(why(z.string().min(1), "")).toEqual([["empty"]]);
  expect(why(z.string().max(3), "four")).toEqual([["text-too-long", { maximum: 3 }]]);
  expect(why(z.array(z.string()).max(1), ["a", "b"])).toEqual([["list-too-long", { maximum: 1 }]]);
  expect(why(z.int().min(5), 4)).toEqual([["number-too-small", { minimum: 5 }]]);
  expect(why(fromText(z.number().int().max(500)), "501")).toEqual([["number-too-big", { maximum: 500 }]]);
  expect(why(z.email(), "nobody")).toEqual([["email-form"]]);
  expect(why(z.url(), "shop")).toEqual([["address-form"]]);
  expect(why(z.strictObject({}), { a: 1, b: 2 })).toEqual([["fields-unknown", { names: "a, b" }]]);
  expect(why(z.enum(["x", "y"]), "z")).toEqual([["not-offered", { offered: "x, y" }]]);
  expect(why(EntityType, "ship")?.[0]?.[0]).toBe("not-offered");
});

const told = (schema: z.ZodType, value: unknown) =>
  faultsOf(schema.safeParse(value).error?.issues ?? [], inDocument).map(({ path, reason, values }) => ({ path, reason, ...values }));

test("of a value that fits none of several forms it is told what is wrong with it, and where", () => {
  const Selection = z.union([
    z.strictObject({ ids: z.array(z.string().max(3)).min(1), state: z.string().optional() }),
    z.strictObject({ filter: z.strictObject({ from: z.string() }) }),
  ]);
  const eitherOr = { path: "", reason: "no-alternative", names: "ids, filter" };
  expect(told(Selection, {})).toEqual([eitherOr]);
  expect(told(Selection, { other: 1 })).toEqual([eitherOr]);
  expect(told(Selection, { ids: ["1"], filter: { from: "x" } })).toEqual([{ ...eitherOr, names: "filter, ids" }]);
  expect(told(Selection, { ids: ["four"], state: 1 })).toEqual([
    { path: "ids.0", reason: "text-too-long", maximum: 3 },
    { path: "state", reason: "wrong-type", expected: "string" },
  ]);
  expect(told(z.object({ in: Selection }), { in: { filter: { to: "x" } } })).toEqual([
    { path: "in.filter.from", reason: "missing" },
    { path: "in.filter", reason: "fields-unknown", names: "to" },
  ]);
  expect(told(Selection, null)).toEqual([{ path: "", reason: "wrong-type", expected: "object" }]);
  const Value = z.union([z.string().max(3), z.number(), z.null(), z.array(z.string())]);
  expect(told(z.record(z.string().min(2), Value), { ab: {}, cd: ["x", 1], e: 1 })).toEqual([
    { path: "ab", reason: "wrong-kind", kinds: "string, number, null, array" },
    { path: "cd.1", reason: "wrong-type", expected: "string" },
    { path: "e", reason: "text-too-short", minimum: 2 },
  ]);
  expect(told(z.union([z.literal("*"), z.enum(["a", "b"])]), "c")).toEqual([{ path: "", reason: "not-offered", offered: "*, a, b" }]);
  expect(told(z.union([z.literal(1), z.string()]), true)).toEqual([{ path: "", reason: "wrong-kind", kinds: "string, 1" }]);
  expect(told(z.object({ id: z.union([z.string(), z.number()]) }), {})).toEqual([{ path: "id", reason: "missing" }]);
  const Kind = z.discriminatedUnion("kind", [z.object({ kind: z.literal("a") }), z.object({ kind: z.literal("b") })]);
  expect(told(Kind, { kind: "c" })).toEqual([{ path: "kind", reason: "not-offered", offered: "a, b" }]);
});

test("a sentence of the contract's own is known by its name", () => {
  expect(why(Code, "Große Stadt")).toEqual([["code-form"]]);
});

test("what a sentence leaves open is filled in, and stands beside it", () => {
  expect(because("job-total", { total: 5, given: 4 })).toEqual({
    detail: "The job is about 5 messages, not 4.",
    reason: "job-total",
    values: { total: 5, given: 4 },
  });
  expect(because("queue-paused")).toEqual({ detail: "The queue is paused.", reason: "queue-paused" });
  expect(faultBecause("key", "key-fixed", { key: "a{b}" })).toMatchObject({ path: "key", message: expect.stringContaining("stay a{b}:") });
});

test("no two reasons say the same sentence, so that each is found by it", () => {
  const sentences = Object.values(reasons).filter((sentence) => !sentence.startsWith("{"));
  expect(new Set(sentences).size).toBe(sentences.length);
});
