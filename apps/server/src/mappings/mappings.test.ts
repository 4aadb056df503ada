import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../testing.ts";

let made: TestApp;
beforeAll(async () => {
  made = await testApp();
});
afterAll(() => made.close());

const path = "/api/v1/tenants/acme/mappings";
const mapping = (sourceValue: string) => ({ fieldName: "color", source: "delogue", sourceValue, target: "shopify", targetValue: "Blue" });

test("a page ends where the next begins, and together they are everything, newest first", async () => {
  for (const value of ["navy", "sky", "azure", "teal", "cyan"]) {
    expect((await made.call("user", "POST", path, mapping(value))).statusCode).toBe(201);
  }
  const seen: string[] = [];
  let cursor = "";
  do {
    const page = (await made.call("viewer", "GET", `${path}?limit=2${cursor}`)).json();
    seen.push(...page.items.map((item: { sourceValue: string }) => item.sourceValue));
    cursor = page.nextCursor === null ? "" : `&cursor=${page.nextCursor}`;
  } while (cursor !== "");
  expect(seen).toEqual(["cyan", "teal", "azure", "sky", "navy"]);
});

test("one value has one meaning: the same mapping again is refused, for a subtenant of its own it is not", async () => {
  await made.call("user", "POST", path, mapping("ink"));
  expect((await made.call("user", "POST", path, mapping("ink"))).json()).toMatchObject({ status: 409, code: "already-exists" });
  expect((await made.call("user", "POST", path, { ...mapping("ink"), subtenantCode: "shop" })).statusCode).toBe(201);
});

test("an unknown subtenant is named as the fault", async () => {
  const answer = await made.call("user", "POST", path, { ...mapping("moss"), subtenantCode: "nowhere" });
  expect(answer.json()).toMatchObject({ status: 400, code: "unknown-subtenant" });
});

test("search finds a part of any column regardless of case, and takes wildcards literally", async () => {
  await made.call("user", "POST", path, { ...mapping("100%"), fieldName: "fabric" });
  const found = async (text: string) =>
    (await made.call("viewer", "GET", `${path}?search=${encodeURIComponent(text)}`))
      .json()
      .items.map((item: { fieldName: string }) => item.fieldName);
  expect(await found("FABR")).toEqual(["fabric"]);
  expect(await found("0%")).toEqual(["fabric"]);
  expect(await found("a%c")).toEqual([]);
});

test("a removed mapping is gone", async () => {
  const { id } = (await made.call("user", "POST", path, mapping("gone"))).json<{ id: number }>();
  expect((await made.call("user", "DELETE", `${path}/${id}`)).statusCode).toBe(204);
  expect((await made.call("user", "DELETE", `${path}/${id}`)).statusCode).toBe(404);
});
