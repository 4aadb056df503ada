import { Code, EntityType, reasons } from "@crossdock/contract";
import { expect, test } from "vitest";
import { z } from "zod";
import { because, faultBecause, faultOf } from "./faults.ts";

const why = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value).error?.issues.map((issue) => {
    const { reason, values } = faultOf(issue, issue.path.join("/"));
    return values ? [reason, values] : [reason];
  });

test("what a schema says of a value has a name and values, by which other languages tell it", () => {
  expect(why(z.object({ name: z.string() }), {})).toEqual([["missing"]]);
  expect(why(z.object({ name: z.string() }), { name: 1 })).toEqual([["wrong-type", { expected: "string" }]]);
  expect(why(z.string().min(1), "")).toEqual([["empty"]]);
  expect(why(z.string().max(3), "four")).toEqual([["text-too-long", { maximum: 3 }]]);
  expect(why(z.array(z.string()).max(1), ["a", "b"])).toEqual([["list-too-long", { maximum: 1 }]]);
  expect(why(z.int().min(5), 4)).toEqual([["number-too-small", { minimum: 5 }]]);
  expect(why(z.coerce.number().int().max(500), "501")).toEqual([["number-too-big", { maximum: 500 }]]);
  expect(why(z.email(), "nobody")).toEqual([["email-form"]]);
  expect(why(z.url(), "shop")).toEqual([["address-form"]]);
  expect(why(z.strictObject({}), { a: 1, b: 2 })).toEqual([["fields-unknown", { names: "a, b" }]]);
  expect(why(z.enum(["x", "y"]), "z")).toEqual([["not-offered", { offered: "x, y" }]]);
  expect(why(z.union([z.string(), z.number()]), true)).toEqual([["no-alternative"]]);
  expect(why(EntityType, "ship")?.[0]?.[0]).toBe("not-offered");
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
