import { afterAll, beforeAll, expect, test } from "vitest";
import { testApp, type TestApp } from "../../apps/server/src/testing/test-app.ts";
import { fuzz, operationsOf, type Document, type Send } from "./fuzz.ts";
import { fillWorkspace } from "./workspace.ts";

let made: TestApp;
let document: Document;
beforeAll(async () => {
  made = await testApp();
  document = (await made.app.inject("/openapi.json")).json();
});
afterAll(() => made.close());

const send: Send = async ({ method, url, headers, body }) => {
  const answer = await made.app.inject({ method: method as "GET", url, headers, ...(body === undefined ? {} : { payload: body }) });
  return { status: answer.statusCode, headers: answer.headers, body: answer.body };
};

test("whatever is asked of the API is answered as its description says", { timeout: 300_000 }, async () => {
  expect(operationsOf(document).length).toBeGreaterThan(150);
  const key = await fillWorkspace(send, made.accounts.admin);
  const { faults, requests, statuses } = await fuzz(document, send, { ...made.accounts, key }, { requests: 2_000, seed: 20_261_122 });
  expect(faults).toEqual([]);
  expect(requests).toBe(2_000);
  // What only ever hears no has tried little.
  const succeeded = [200, 201, 202, 204].reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
  expect(succeeded / requests).toBeGreaterThan(0.4);
});
